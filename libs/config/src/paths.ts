/** Paths of a configuration: each key's default filled in, relative ones resolved against `root_dir`. */
import { resolve } from 'node:path';
import { isList, isMap, type Value } from '@natrium/model';
import type { KeyDoc } from './key-doc.js';

/** @param given What the file says, without keys that are empty. @param docs The documentation of every key of the schema. */
export function withPaths(
  given: Readonly<Record<string, Value>>,
  docs: ReadonlyMap<string, KeyDoc>,
  root: string,
): Readonly<Record<string, Value>> {
  const filled = Array.from(docs, ([key, { path }]): readonly [string, Value | undefined] => {
    if (key === 'root_dir') return [key, root];
    const value = Object.hasOwn(given, key) ? given[key] : path;
    return [key, path === undefined || value === undefined ? value : resolved(value, root)];
  });
  return Object.fromEntries(filled.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined));
}

/** Salt's own default `/` is no root of relative paths: they start at the folder of the file. */
export function rootDir(given: Value | undefined, dir: string): string {
  return typeof given !== 'string' || given === '' || given === '/' ? dir : resolve(dir, given);
}

/** An empty text names no path, and what is not a path is left for the schema to refuse. */
function resolved(value: Value, root: string): Value {
  if (typeof value === 'string') return value === '' ? '' : resolve(root, value);
  if (isList(value)) return value.map((item) => resolved(item, root));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, root)]));
}
