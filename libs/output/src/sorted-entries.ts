import type { Value, ValueMap } from '@natrium/model';
import { byCodePoint } from './by-code-point.js';

/** Entries of a map by key as text, the order in which Salt prints maps. */
export function sortedEntries(map: ValueMap): readonly (readonly [string, Value])[] {
  return Object.entries(map).sort(([a], [b]) => byCodePoint(a, b));
}
