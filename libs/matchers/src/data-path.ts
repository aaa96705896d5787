/** Follows a key path into grains or pillar: mappings by key, lists by number, or by a key of the first mapping inside that has it. */
import { isList, isMap, type Value } from '@natrium/model';

/** @returns undefined when the path leads nowhere. */
export function follow(data: Value, path: readonly string[]): Value | undefined {
  let here: Value | undefined = data;
  for (const part of path) {
    here = isMap(here) ? own(here, part) : isList(here) ? inList(here, part) : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

function own(map: { readonly [key: string]: Value }, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function inList(list: readonly Value[], part: string): Value | undefined {
  if (/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(part)) return list.at(Number(part.replaceAll('_', '')));
  for (const item of list) {
    if (isMap(item) && Object.hasOwn(item, part)) return item[part];
  }
  return undefined;
}
