/** Paths into grains and pillar, as Salt's modules read them. */
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';

/** The parameter of each function that follows such a path. */
export const DELIMITER = {
  name: 'delimiter',
  type: 'str',
  default: ':',
  doc: 'Between the keys of nested maps.',
} as const;

/** Follows `a:b:0` through maps and lists, and through a list of maps to the first that has the key. */
export function traverse(data: ValueMap, key: string, delimiter: string): Value | undefined {
  let value: Value | undefined = data;
  for (const word of delimiter === '' ? [key] : key.split(delimiter)) {
    value = step(value, word);
    if (value === undefined) return undefined;
  }
  return value;
}

/** A value that is null is there, and no reason for another. */
export function traverseOr(data: ValueMap, key: string, delimiter: string, otherwise: Value): Value {
  const found = traverse(data, key, delimiter);
  return found === undefined ? otherwise : found;
}

/** The value behind one key or index. */
export function step(value: Value | undefined, word: string): Value | undefined {
  if (isMap(value)) return Object.hasOwn(value, word) ? value[word] : undefined;
  if (!isList(value)) return undefined;
  const map = value.filter(isMap).find((one) => Object.hasOwn(one, word));
  if (map !== undefined) return map[word];
  return /^-?\d{1,9}$/.test(word) ? value.at(Number(word)) : undefined;
}
