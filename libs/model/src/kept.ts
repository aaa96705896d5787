/**
 * What one minion may have kept of its own, as grains or in its mine: so much that an acl-service that holds all of them stays small, and so
 * deep that it can be told. Bytes alone do not bound the first: an empty map is one byte in a message and more than sixty in memory, and takes
 * as much longer to read.
 *
 * Spec: spec/envelope.md#data.
 */
import { isList, isMap, type Value } from './value.js';

/** Of its encoding. */
export const MAX_KEPT_BYTES = 1 << 20;
export const MAX_KEPT_VALUES = 100_000;
/** Of the 24 that a return may have: two maps are around it where others read it, one by ids, and one by names. */
const MAX_KEPT_LEVELS = 22;

/** Whether grains, or something in a mine, can be read by everyone who may: beside others' in one answer, and in a return. */
export function isReadable(kept: Value): boolean {
  return isWithin(kept, MAX_KEPT_LEVELS);
}

/** Whether lists and maps are nested no deeper than so many levels. */
export function isWithin(value: Value, levels: number): boolean {
  if (isList(value)) return levels > 0 && value.every((item) => isWithin(item, levels - 1));
  if (!isMap(value)) return true;
  if (levels === 0) return false;
  for (const key in value) if (!isWithin(value[key] ?? null, levels - 1)) return false;
  return true;
}

/** How many values there are, those that hold others among them; no more are counted than one beyond `most`. */
export function countValues(values: readonly Value[], most: number): number {
  let count = 0;
  for (const value of values) {
    if (count > most) break;
    count += 1;
    if (isList(value)) count += countValues(value, most - count);
    else if (isMap(value)) count += countValues(Object.values(value), most - count);
  }
  return count;
}
