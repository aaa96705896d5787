/** Keys that neither the schema nor Salt knows, and those of Salt that cannot be set aside: why each stops the start, and what was probably meant. */
import type { Path } from '@natrium/args';
import { isList, isMap, type Value } from '@natrium/model';
import type * as z from 'zod/mini';
import { READING } from './config-files.js';
import { nearestKey } from './nearest-key.js';
import type { ConfigProblem, Fault } from './problem.js';
import { isDotted, isSaltKey, NEEDED, RENAMED, saltKeys } from './salt-keys.js';
import type { FilePlace } from './sourced.js';

/** One kind of configuration: the name of its main file, its schema, and what keys the other kind has. */
export interface Kind<S extends z.ZodMiniObject> {
  readonly name: 'master' | 'minion';
  readonly schema: S;
  readonly isOther: (key: string) => boolean;
}

/** Tells whether the schema knows a key, or who reads the files uses it. */
export function isKnown(key: string, { schema }: Kind<z.ZodMiniObject>): boolean {
  return Object.hasOwn(schema.shape, key) || READING.has(key);
}

type Entry = readonly [key: string, value: Value];

/** Of all keys, those that neither the schema knows nor Salt has. One without a value is not there. */
export function unknownKeys(
  entries: readonly Entry[],
  kind: Kind<z.ZodMiniObject>,
  locate: (path: Path) => FilePlace,
): readonly ConfigProblem[] {
  return entries.flatMap(([key, value]) => {
    if (value === null || isKnown(key, kind) || isHolder(key, value)) return [];
    const fault = unknownKey(key, value, kind, () => emptyAbove(key, entries, kind, locate));
    return fault === undefined ? [] : [{ ...locate([key]), path: [key], ...fault }];
  });
}

/** Keys that nobody reads by their name, whatever it is: what an alias refers to, by custom with a `_`, and the profile of an sdb. */
function isHolder(key: string, value: Value): boolean {
  return key.startsWith('_') || (isMap(value) && Object.hasOwn(value, 'driver'));
}

/** The same of another of Salt's modules, `{etcd.host: 10.0.0.1, etcd.port: 4001}`; a list of somebody's may have dots in its names, too. */
function isProfile(value: Value): boolean {
  const settings = isMap(value) ? Object.entries(value) : [];
  const modules = new Set(settings.map(([name]) => name.split('.')[0]));
  return (
    modules.size === 1 && settings.every(([name, setting]) => isDotted(name) && !isList(setting) && !isMap(setting))
  );
}

/** The key below which this one was to be indented, it seems: the next one above it has no value. */
function emptyAbove(
  key: string,
  entries: readonly Entry[],
  kind: Kind<z.ZodMiniObject>,
  locate: (path: Path) => FilePlace,
): string | undefined {
  const { file, line } = locate([key]);
  const above = entries
    .filter(([other]) => isKnown(other, kind) || isSaltKey(other))
    .map(([other, value]) => ({ other, value, ...locate([other]) }))
    .filter((one) => one.file === file && one.line < line)
    .reduce<{ other: string; value: Value; line: number } | undefined>(
      (last, one) => (last === undefined || one.line > last.line ? one : last),
      undefined,
    );
  return above?.value === null ? above.other : undefined;
}

function unknownKey(
  key: string,
  value: Value,
  kind: Kind<z.ZodMiniObject>,
  parent: () => string | undefined,
): Fault | undefined {
  const renamed = RENAMED.get(key);
  if (renamed !== undefined) return { reason: `Salt renamed ${key} to ${renamed}`, mend: `write ${renamed}` };
  const needed = neededBySalt(key, value, kind.name);
  if (needed !== undefined) return { reason: needed.reason, mend: needed.mend };
  if (isSaltKey(key)) return undefined;
  const elsewhere = kind.name === 'master' ? 'minion' : 'master';
  if (kind.isOther(key)) return { reason: `this is a key of the ${elsewhere} file`, mend: `move it there` };
  const near = nearestKey(key, [...Object.keys(kind.schema.shape), ...saltKeys()]);
  if (near === undefined && isProfile(value)) return undefined;
  return { reason: 'no key of Natrium, and none of Salt’s that it knows', mend: mendOf(near, parent()) };
}

function mendOf(near: string | undefined, parent: string | undefined): string {
  const indent = parent === undefined ? undefined : `indent it below ${parent}, which has no value`;
  if (near === undefined) return indent ?? 'remove it; docs/configuration.md lists the keys';
  return `did you mean ${near}?${indent === undefined ? '' : ` Or ${indent}`}`;
}

function neededBySalt(key: string, value: Value, file: 'master' | 'minion') {
  const found = NEEDED.get(key);
  const isHeeded = found !== undefined && (found.file ?? file) === file && found.isIdle?.(value) !== true;
  return isHeeded ? found : undefined;
}
