/**
 * Values sealed at rest. The place (bucket and key) is bound into each value, so that none can stand in for another.
 *
 * Spec: spec/envelope.md#storage.
 */
import { openStored, sealStored, type StorageKey } from '@natrium/envelope';
import { allOf } from '../ports/all-of.js';
import type { Change, Entry, Following, Store } from '../ports/store.js';
import { inSlices } from './in-slices.js';

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
    /** The revision of the spoilt value, for whoever replaces it by another. */
    readonly revision?: number,
    options?: ErrorOptions,
  ) {
    super(
      `the value at ${place} ${options === undefined ? 'does not open with any storage key of its class' : 'is not what its reader takes'}`,
      options,
    );
  }
}

type OnEntry = (entry: Change) => void;

interface Follower {
  readonly onEntry: OnEntry;
  /** Values that could not be read: by key only their revisions, since what they hold may be anything. */
  readonly missed: Map<string, number>;
}

/** Revisions that are read again at once. */
const AT_ONCE = 32;

export class SealedStore implements Store {
  readonly #followers = new Set<Follower>();

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

  async follow(onEntry: OnEntry, since?: number, pattern?: string): Promise<Following> {
    const follower: Follower = { onEntry, missed: new Map() };
    this.#followers.add(follower);
    try {
      const tell = (entry: Change) => {
        this.#tell(follower, entry);
      };
      const following = await this.store.follow(tell, since, pattern);
      const close = () => {
        this.#followers.delete(follower);
        following.close();
      };
      return { missed: follower.missed, close };
    } catch (cause) {
      this.#followers.delete(follower);
      throw cause;
    }
  }

  /**
   * Reads again what followers could not take, and tells them of it: the key that it opens with, or the roles document that
   * names its signer, may have come after it.
   */
  async readMissed(): Promise<void> {
    for (const follower of this.#followers) {
      const missed = [...follower.missed];
      for (let from = 0; from < missed.length; from += AT_ONCE)
        await Promise.all(missed.slice(from, from + AT_ONCE).map((one) => this.#readAgain(follower, one)));
    }
  }

  async #readAgain({ onEntry, missed }: Follower, [key, revision]: readonly [string, number]): Promise<void> {
    const entry = await this.store.at(revision);
    // What has taken its place meanwhile is told by itself.
    if (entry === undefined || missed.get(key) !== revision) return;
    missed.delete(key);
    if (this.#problemOf(entry, onEntry) !== undefined) missed.set(key, revision);
  }

  #tell({ onEntry, missed }: Follower, entry: Change): void {
    missed.delete(entry.key);
    if (entry.value === undefined) {
      onEntry(entry);
      return;
    }
    const problem = this.#problemOf(entry, onEntry);
    if (problem === undefined) return;
    missed.set(entry.key, entry.revision);
    this.onCorrupt(problem);
  }

  list(pattern: string, since?: number): Promise<readonly Entry[]> {
    return allOf(this.each(pattern, since));
  }

  each(pattern: string, since?: number): AsyncIterable<Entry> {
    return this.#opened(this.store.each(pattern, since));
  }

  eachAny(patterns: readonly string[]): AsyncIterable<Entry> {
    return this.#opened(this.store.eachAny(patterns));
  }

  async *#opened(entries: AsyncIterable<Entry>): AsyncGenerator<Entry, void, undefined> {
    // There may be very many: others are not kept from their turn until the last is opened.
    for await (const entry of inSlices(entries, ({ value }) => value.length)) {
      const opened = this.#valueOf(entry);
      if (opened === undefined) this.onCorrupt(new StoredCorrupt(this.#place(entry.key), entry.revision));
      else yield { ...entry, value: opened };
    }
  }

  async last(pattern: string): Promise<Entry | undefined> {
    const entry = await this.store.last(pattern);
    return entry === undefined ? undefined : { ...entry, value: this.#open(entry) };
  }

  keyNames(pattern: string): Promise<readonly string[]> {
    return this.store.keyNames(pattern);
  }

  bounds(): Promise<{ readonly first: number; readonly last: number }> {
    return this.store.bounds();
  }

  /** @returns Why `take` is not told of it, or has not taken it. */
  #problemOf(entry: Entry, take: (entry: Entry) => void): StoredCorrupt | undefined {
    const value = this.#valueOf(entry);
    if (value === undefined) return new StoredCorrupt(this.#place(entry.key), entry.revision);
    try {
      take({ ...entry, value });
      return undefined;
    } catch (cause) {
      // Whoever holds the storage key can write anything: it must not make a follower deaf to the next value.
      return new StoredCorrupt(this.#place(entry.key), entry.revision, { cause });
    }
  }

  #seal(key: string, value: Uint8Array): Uint8Array {
    return sealStored(this.keys.newest, this.#place(key), value);
  }

  #open(entry: Entry): Uint8Array {
    const value = this.#valueOf(entry);
    if (value === undefined) throw new StoredCorrupt(this.#place(entry.key), entry.revision);
    return value;
  }

  #valueOf({ key, value }: Entry): Uint8Array | undefined {
    const opened = openStored((id) => this.keys.byId(id), this.#place(key), value);
    return opened.ok ? opened.value : undefined;
  }

  #place(key: string): string {
    return `${this.store.name}/${key}`;
  }
}
