/**
 * What the project needs of a durable store: named values, created once or replaced by compare-and-swap, and followed.
 * Keys are `fp`, digests, jids or keyed hashes, never a name; values are sealed by `SealedStore`.
 */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
}

/** What a follower hears: a value, or that one was deleted. */
export type Change = Entry | { readonly key: string; readonly value: undefined };

export interface Following {
  /** Revisions, by key, of values that could not be read: so far the follower lacks them. Missing where the store cannot tell. */
  readonly missed?: ReadonlyMap<string, number>;
  close(): void;
}

export interface Store {
  readonly name: string;
  get(key: string): Promise<Entry | undefined>;
  /** What was written at this revision; undefined where that was replaced or deleted since, or nothing was written. */
  at(revision: number): Promise<Entry | undefined>;
  /** @returns The revision; undefined when the key exists already. */
  create(key: string, value: Uint8Array): Promise<number | undefined>;
  /** @returns The new revision; undefined when someone else replaced it since `revision`. */
  update(key: string, value: Uint8Array, revision: number): Promise<number | undefined>;
  put(key: string, value: Uint8Array): Promise<number>;
  /** @param revision Only while this one is there; what was replaced meanwhile stays. */
  delete(key: string, revision?: number): Promise<void>;
  /**
   * Calls for every value that is there, resolves when that is done, and goes on calling for each change; a deletion has no value.
   *
   * @param since Only what was written from this revision on.
   * @param pattern Only what is under it (`r.*`).
   */
  follow(onEntry: (entry: Change) => void, since?: number, pattern?: string): Promise<Following>;
  /** All values under a key pattern (`r.*`), oldest first; with `since` only those whose revision is at least that. */
  list(pattern: string, since?: number): Promise<readonly Entry[]>;
  /** The same one after the other as they come, of which very many need not be held. Who stops early reads no further. */
  each(pattern: string, since?: number): AsyncIterable<Entry>;
  /** So all values under any of some hundred patterns at most, of which no two may cover one key, oldest first: for what one reading of each would be dear. */
  eachAny(patterns: readonly string[]): AsyncIterable<Entry>;
  /** What was written last under a key pattern; undefined when there is nothing, or that was deleted. */
  last(pattern: string): Promise<Entry | undefined>;
  /** The keys under a pattern in no order, without reading values; one whose value was deleted may be among them. */
  keyNames(pattern: string): Promise<readonly string[]>;
  /** The revisions of the oldest and of the newest change that is kept; in an empty store the first is beyond the last. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>;
}
