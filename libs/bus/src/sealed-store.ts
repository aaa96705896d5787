/**
 * Values sealed at rest. The place (bucket and key) is bound into each value, so that none can stand in for another.
 *
 * Spec: spec/envelope.md#at-rest.
 */
import { openStored, sealStored, type StorageKey } from '@natrium/envelope';
import type { Entry, Following, Store } from './store.js';

/** The storage keys of one class: the newest seals, any opens. */
export interface StorageKeys {
  readonly newest: StorageKey;
  byId(id: string): StorageKey | undefined;
}

/** A stored value that did not open (an edited or moved one, or one whose key is gone), or that its reader cannot take. */
export class StoredCorrupt extends Error {
  override readonly name = 'StoredCorrupt';
  readonly code = 'ERR_STORED_CORRUPT';
  constructor(
    readonly place: string,
    /** The spoilt value's: whoever puts another in its place replaces this one. */
    readonly revision?: number,
    options?: ErrorOptions,
  ) {
    super(
      `the value at ${place} ${options === undefined ? 'does not open with any storage key of its class' : 'is not what its reader takes'}`,
      options,
    );
  }
}

export class SealedStore implements Store {
  constructor(
    private readonly store: Store,
    private readonly keys: StorageKeys,
    /** Told of values that did not open while following or listing; they are left out there. */
    private readonly onCorrupt: (error: StoredCorrupt) => void,
  ) {}

  get name(): string {
    return this.store.name;
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.store.get(key);
    return entry === undefined ? undefined : { ...entry, value: this.#open({ ...entry, key }) };
  }

  async at(revision: number): Promise<Entry | undefined> {
    const entry = await this.store.at(revision);
    return entry === undefined ? undefined : { ...entry, value: this.#open(entry) };
  }

  create(key: string, value: Uint8Array): Promise<number | undefined> {
    return this.store.create(key, this.#seal(key, value));
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    return this.store.update(key, this.#seal(key, value), revision);
  }

  put(key: string, value: Uint8Array): Promise<number> {
    return this.store.put(key, this.#seal(key, value));
  }

  delete(key: string, revision?: number): Promise<void> {
    return this.store.delete(key, revision);
  }

  follow(onEntry: (entry: Entry | { readonly key: string; readonly value: undefined }) => void): Promise<Following> {
    return this.store.follow((entry) => {
      if (entry.value === undefined) onEntry(entry);
      else this.#unlessCorrupt(entry, onEntry);
    });
  }

  async list(pattern: string, since?: number): Promise<readonly Entry[]> {
    const opened: Entry[] = [];
    for (const entry of await this.store.list(pattern, since)) this.#unlessCorrupt(entry, (good) => opened.push(good));
    return opened;
  }

  #unlessCorrupt(entry: Entry, take: (entry: Entry) => void): void {
    const opened = openStored((id) => this.keys.byId(id), this.#place(entry.key), entry.value);
    if (!opened.ok) {
      this.onCorrupt(new StoredCorrupt(this.#place(entry.key), entry.revision));
      return;
    }
    try {
      take({ ...entry, value: opened.value });
    } catch (cause) {
      // Whoever holds the storage key can write anything: it must not make a follower deaf to the next value.
      this.onCorrupt(new StoredCorrupt(this.#place(entry.key), entry.revision, { cause }));
    }
  }

  #seal(key: string, value: Uint8Array): Uint8Array {
    return sealStored(this.keys.newest, this.#place(key), value);
  }

  #open({ key, value, revision }: Entry): Uint8Array {
    const opened = openStored((id) => this.keys.byId(id), this.#place(key), value);
    if (!opened.ok) throw new StoredCorrupt(this.#place(key), revision);
    return opened.value;
  }

  #place(key: string): string {
    return `${this.store.name}/${key}`;
  }
}
