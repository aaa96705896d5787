/**
 * What one minion may have kept of its own: so much that an acl-service that holds all of them stays small. Bytes alone do not bound
 * that: an empty map is one byte in a message and more than sixty in memory, and takes as much longer to read.
 */
import { isList, isMap, type Value } from './value.js';

/** Of its encoding. */
export const MAX_KEPT_BYTES = 1 << 20;
export const MAX_KEPT_VALUES = 100_000;

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
