/** A store in memory for tests; it keeps the same contract as the one on JetStream (`store.contract.ts`). */
import { fitsKey } from './key-pattern.js';
import type { Change, Entry, Following, Store } from './store.js';

type Listener = (change: Change) => void;

export class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<Listener>();
  #revision = 0;

  constructor(readonly name: string) {}

  get(key: string): Promise<Entry | undefined> {
    return Promise.resolve(this.#entries.get(key));
  }

  at(revision: number): Promise<Entry | undefined> {
    return Promise.resolve([...this.#entries.values()].find((entry) => entry.revision === revision));
  }

  create(key: string, value: Uint8Array): Promise<number | undefined> {
    return this.#entries.has(key) ? Promise.resolve(undefined) : this.put(key, value);
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    return this.#entries.get(key)?.revision === revision ? this.put(key, value) : Promise.resolve(undefined);
  }

  put(key: string, value: Uint8Array): Promise<number> {
    this.#revision += 1;
    const entry = { key, value: Uint8Array.from(value), revision: this.#revision };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#tell(entry);
    return Promise.resolve(entry.revision);
  }

  delete(key: string, revision?: number): Promise<void> {
    if (revision !== undefined && this.#entries.get(key)?.revision !== revision) return Promise.resolve();
    this.#entries.delete(key);
    this.#tell({ key, value: undefined });
    return Promise.resolve();
  }

  follow(onEntry: Listener, since = 0, pattern = '>'): Promise<Following> {
    const listener: Listener = (change) => {
      if (fitsKey(pattern, change.key)) onEntry(change);
    };
    for (const entry of this.#under([pattern], since)) onEntry(entry);
    this.#listeners.add(listener);
    return Promise.resolve({ close: () => this.#listeners.delete(listener) });
  }

  list(pattern: string, since = 0): Promise<readonly Entry[]> {
    return Promise.resolve(this.#under([pattern], since));
  }

  async *each(pattern: string, since = 0): AsyncGenerator<Entry> {
    yield* await Promise.resolve(this.#under([pattern], since));
  }

  async *eachAny(patterns: readonly string[]): AsyncGenerator<Entry> {
    yield* await Promise.resolve(this.#under(patterns));
  }

  last(pattern: string): Promise<Entry | undefined> {
    return Promise.resolve(this.#under([pattern]).at(-1));
  }

  keyNames(pattern: string): Promise<readonly string[]> {
    return Promise.resolve(this.#under([pattern]).map(({ key }) => key));
  }

  bounds(): Promise<{ readonly first: number; readonly last: number }> {
    const [oldest] = this.#entries.values();
    return Promise.resolve({ first: oldest?.revision ?? this.#revision + 1, last: this.#revision });
  }

  #under(patterns: readonly string[], since = 0): readonly Entry[] {
    const isUnder = (key: string) => patterns.some((pattern) => fitsKey(pattern, key));
    return [...this.#entries.values()].filter(({ key, revision }) => revision >= since && isUnder(key));
  }

  /** A follower that throws hears of later changes all the same, and the writer does not. */
  #tell(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch {
        // The real store tells its connection's watcher, which a store in memory has not.
      }
    }
  }
}
