/** The functions of `grains.*` that change the host's own grains: they are kept in a file, and the master hears at once. */
import { isDeepStrictEqual } from 'node:util';
import { isList, isMap, messageOf, ok, pyStr, toPlain, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import type { GrainsFile } from '../grains/grains-file.js';
import { ExecutionError } from '../loader/errors.js';
import type { Returned } from '../loader/declaration.js';
import { reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { type InTheWay, placed } from './grains-nested.js';
import { DELIMITER, step, traverse, traverseOr } from './traverse.js';

const KEY = { name: 'key', type: 'str', doc: 'Name of the grain, nested with the delimiter.' } as const;
const FORCE = { name: 'force', type: 'bool', default: false, doc: 'Also where that takes the place of a map or a list.' } as const; // prettier-ignore
const DESTRUCTIVE = { name: 'destructive', type: 'bool', default: false, doc: 'With no value: take the grain itself away.' } as const; // prettier-ignore
const REFRESH = { name: 'refresh_pillar', type: 'bool', default: true, doc: 'Changes nothing: new pillar comes whenever grains change.' } as const; // prettier-ignore

export const grainsSetters = {
  set: fn(
    {
      doc: 'Sets a grain, also a nested one. A map or a list is overwritten with force=True only.',
      params: [KEY, { name: 'val', type: 'any', default: '' }, FORCE, DESTRUCTIVE, DELIMITER],
      returns: 'a map with result, changes and comment',
      examples: ['grains.set role web', 'grains.set apps:web:port 80', "grains.set roles '[web, db]' force=True"],
    },
    ({ key, val, force, destructive, delimiter }, context) =>
      setNested({ key, val, force, destructive, delimiter }, context),
  ),
  setval: fn(
    {
      doc: 'Sets a grain, whatever it was before. The name is taken as it is: nothing is nested.',
      params: [{ name: 'key', type: 'str' }, { name: 'val', type: 'any' }, DESTRUCTIVE, REFRESH],
      returns: 'a map from the name to the value',
      examples: ['grains.setval role web', "grains.setval apps '{web: {port: 80}}'"],
    },
    ({ key, val, destructive }, context) => keep({ [key]: val }, destructive, context),
  ),
  setvals: fn(
    {
      doc: 'Sets several grains.',
      params: [{ name: 'grains', type: 'map' }, DESTRUCTIVE, REFRESH],
      returns: 'the map',
      examples: ["grains.setvals '{role: web, rack: 7}'"],
    },
    ({ grains, destructive }, context) => keep(grains, destructive, context),
  ),
  append: fn(
    {
      doc: 'Adds a value to a grain that is a list.',
      params: [
        KEY,
        { name: 'val', type: 'any' },
        { name: 'convert', type: 'bool', default: false, doc: 'Make a list of a grain that is none.' },
        DELIMITER,
      ],
      returns: 'a map from the name to the list, or why nothing was done',
      examples: ['grains.append roles web'],
    },
    ({ key, val, convert, delimiter }, context) => {
      const there = traverseOr(context.grains(), key, delimiter, []);
      const found = convert ? (there ?? []) : there;
      const list = isList(found) ? found : convert ? [found] : undefined;
      if (list === undefined) return refusedText(`The key ${key} is not a valid list`);
      if (list.some((item) => same(item, val))) return `The val ${pyStr(val)} was already in the list ${key}`;
      return keepNested(key, [...list, ...(isList(val) ? val : [val])], delimiter, context);
    },
  ),
  remove: fn(
    {
      doc: 'Takes a value out of a grain that is a list.',
      params: [KEY, { name: 'val', type: 'any' }, DELIMITER],
      returns: 'a map from the name to the list, or why nothing was done',
      examples: ['grains.remove roles web'],
    },
    ({ key, val, delimiter }, context) => {
      const list = traverseOr(context.grains(), key, delimiter, []);
      if (!isList(list)) return refusedText(`The key ${key} is not a valid list`);
      const at = list.findIndex((item) => same(item, val));
      if (at < 0) return `The val ${pyStr(val)} was not in the list ${key}`;
      return keepNested(key, list.toSpliced(at, 1), delimiter, context);
    },
  ),
  delkey: fn(
    {
      doc: 'Takes a grain away, name and value.',
      params: [KEY, FORCE],
      returns: 'a map with result, changes and comment',
      examples: ['grains.delkey role', 'grains.delkey apps force=True'],
    },
    ({ key, force }, context) => setNested({ key, val: null, force, destructive: true, delimiter: ':' }, context),
  ),
  delval: fn(
    {
      doc: 'Empties a grain: its name stays, without a value.',
      params: [KEY, DESTRUCTIVE, FORCE],
      returns: 'a map with result, changes and comment',
      examples: ['grains.delval role'],
    },
    ({ key, destructive, force }, context) =>
      setNested({ key, val: null, force, destructive, delimiter: ':' }, context),
  ),
} as const;

interface Setting {
  readonly key: string;
  readonly val: Value;
  readonly force: boolean;
  readonly destructive: boolean;
  readonly delimiter: string;
}

async function setNested(
  { key, val, force, destructive, delimiter }: Setting,
  context: CallContext,
): Promise<Returned> {
  const before = traverse(context.grains(), key, delimiter);
  const said = (comment: string, result: boolean) => ({ comment, changes: {}, result });
  const takesAway = val === null && destructive;
  if (takesAway && before === undefined) return said('There is no such grain', true);
  if (before !== undefined && same(before, val) && !takesAway) return said('Grain is already set', true);
  if (!force && before !== undefined && before !== null) {
    const use = "Use 'force=True' to overwrite.";
    if (isComplex(before)) return said(`The key '${key}' exists but is a dict or a list. ${use}`, false);
    if (isComplex(val)) return said(`The key '${key}' exists and the given value is a dict or a list. ${use}`, false);
  }
  const [top, ...rest] = wordsOf(key, delimiter);
  const how = { val: takesAway ? undefined : val, force, intoLists: true };
  const nested = rest.length === 0 ? ok(val) : placed(step(context.grains(), top), rest, how, [top]);
  if (!nested.ok) return said(inTheWayText(nested.error, delimiter), false);
  const kept = await keptGrains({ [top]: nested.value }, takesAway && rest.length === 0, context);
  return reply({ comment: kept.comment, changes: kept.changes, result: true }, { notes: kept.notes });
}

function inTheWayText({ path, value, word }: InTheWay, delimiter: string): string {
  const is = `The key '${path.join(delimiter)}' value is '${pyStr(value)}'`;
  return `${is}, which is different from the provided key '${word}'. Use 'force=True' to overwrite.`;
}

function keepNested(key: string, val: Value, delimiter: string, context: CallContext): Returned | Promise<Returned> {
  const [top, ...rest] = wordsOf(key, delimiter);
  const how = { val, force: false, intoLists: false };
  const nested = rest.length === 0 ? ok(val) : placed(step(context.grains(), top), rest, how, [top]);
  if (!nested.ok) return refusedText(`A part of the key ${key} exists and is no dict`);
  return keep({ [top]: nested.value }, false, context);
}

async function keep(grains: ValueMap, destructive: boolean, context: CallContext): Promise<Returned> {
  const { changes, notes } = await keptGrains(grains, destructive, context);
  return reply(changes, { notes });
}

interface Kept {
  readonly changes: ValueMap;
  readonly comment: string;
  readonly notes: readonly string[];
}

/** Into the file first: what the master hears is what is still there after a restart. */
async function keptGrains(
  grains: ValueMap,
  destructive: boolean,
  { grainsFile, refresh, config }: CallContext,
): Promise<Kept> {
  if (grainsFile === undefined) throw new ExecutionError('there is no file to keep grains in here');
  const all = new Map(Object.entries(grainsFile.read()));
  for (const [name, value] of Object.entries(grains)) {
    if (value === null && destructive) all.delete(name);
    else all.set(name, value);
  }
  written(grainsFile, Object.fromEntries(all));
  const told = (await refresh?.grains()) ?? true;
  const own = config['grains'];
  const hidden = Object.keys(grains).filter((name) => isMap(own) && Object.hasOwn(own, name));
  const notes = [
    ...hidden.map((name) => `${name} is also set in the configuration of this minion, which wins`),
    ...(told ? [] : ['the master could not be told yet']),
  ];
  return { changes: grains, comment: notes.join('; '), notes };
}

function written(file: Pick<GrainsFile, 'write'>, grains: ValueMap): void {
  try {
    file.write(grains);
  } catch (error) {
    throw new ExecutionError(messageOf(error));
  }
}

function wordsOf(key: string, delimiter: string): readonly [string, ...string[]] {
  const [top = key, ...rest] = delimiter === '' ? [key] : key.split(delimiter);
  return [top, ...rest];
}

function isComplex(value: Value): boolean {
  return isMap(value) || isList(value);
}

function same(a: Value, b: Value): boolean {
  return isDeepStrictEqual(toPlain(a), toPlain(b));
}

/** Diverges: the sentence is Salt's, but here it also counts as a failure (compat/divergences.md). */
function refusedText(sentence: string): Returned {
  return reply(sentence, { retcode: 1 });
}
