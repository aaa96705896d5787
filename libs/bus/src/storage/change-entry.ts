/** Changes of one value of a store that others may change at the same time: by compare-and-swap, decided anew when they were quicker. */
import type { Entry, Store } from '../ports/store.js';

/** Each time somebody else was quicker, and is done then. */
const RACES = 64;

/** What comes of a value, and what the caller hears of that. */
export interface EntryChange<T> {
  /** undefined: it stays as it is. */
  readonly value: Uint8Array | undefined;
  readonly heard: T;
}

/**
 * Creates a value, or puts it in the place of one.
 *
 * @param before The revision of the one that it replaces; undefined: there is none.
 * @returns Its revision; undefined when somebody else was quicker.
 */
export function createOrUpdate(
  store: Pick<Store, 'create' | 'update'>,
  key: string,
  value: Uint8Array,
  before: number | undefined,
): Promise<number | undefined> {
  return before === undefined ? store.create(key, value) : store.update(key, value, before);
}

/**
 * Makes of what is there what is to be there.
 *
 * @param decide Asked anew each time that somebody else was quicker.
 * @returns What the last decision was, and the revision where something was written.
 * @throws {Error} When it could not be read or written; then it may be changed or not.
 */
export async function changeEntry<T>(
  store: Pick<Store, 'name' | 'get' | 'create' | 'update'>,
  key: string,
  decide: (now: Entry | undefined) => EntryChange<T>,
): Promise<{ readonly heard: T; readonly revision: number | undefined }> {
  for (let race = 0; race < RACES; race += 1) {
    const entry = await store.get(key);
    const { value, heard } = decide(entry);
    if (value === undefined) return { heard, revision: undefined };
    const revision = await createOrUpdate(store, key, value, entry?.revision);
    if (revision !== undefined) return { heard, revision };
  }
  throw new Error(`${store.name}/${key} was changed by others each time`);
}
