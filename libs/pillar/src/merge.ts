/** Merging as Salt's default: mappings recurse, everything else is replaced by what comes later. */
import { isMap, type Value, type ValueMap } from '@natrium/model';

export function mergeMaps(base: ValueMap, over: ValueMap): ValueMap {
  const merged = new Map<string, Value>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isMap(below) && isMap(value) ? mergeMaps(below, value) : value);
  }
  return Object.fromEntries(merged);
}
