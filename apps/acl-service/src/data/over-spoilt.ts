/**
 * A value that does not open: its storage key may be gone for ever. Whoever writes all of it anew writes over it, or its minion could never
 * keep anything again.
 */
import { type changeEntry, type Entry, type Store, StoredCorrupt } from '@natrium/bus';

export type Changeable = Parameters<typeof changeEntry>[0];

/** What is told in the place of such a value. */
export const SPOILT = new Uint8Array();

/** The same store, in which a value that does not open is `SPOILT`. */
export function overSpoilt(store: Store): Changeable {
  return {
    name: store.name,
    get: (key) => store.get(key).catch((cause: unknown) => spoiltIn(key, cause)),
    create: (...entry) => store.create(...entry),
    update: (...entry) => store.update(...entry),
  };
}

/** @throws What is no sign of a value that does not open. */
function spoiltIn(key: string, cause: unknown): Entry {
  if (!(cause instanceof StoredCorrupt) || cause.revision === undefined) throw cause;
  return { key, value: SPOILT, revision: cause.revision };
}
