import type { Value, ValueMap } from '@natrium/model';

/** Entries of a map by key as text, the order in which Salt prints maps. */
export function sortedEntries(map: ValueMap): readonly (readonly [string, Value])[] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}
