/**
 * Reads a corpus: `<family>.jsonl` files and, beside them, the `inventories.json` that they refer to by name.
 *
 * The format: compat/cases/README.md.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';
import type { Inventory, MinionData } from '@natrium/matchers';
import { fromPlain, isMap, type Plain, type Value, type ValueMap } from '@natrium/model';

export interface Case {
  readonly id: string;
  readonly family: string;
  readonly template: string;
  readonly inventory: string | undefined;
  readonly config: PlainMap;
  readonly request: PlainMap;
  readonly directory: PlainMap;
  /** `improved` where the original's answer is unsafe or useless, else what the original answered. */
  readonly expected: PlainMap;
}

export interface PlainMap {
  readonly [key: string]: Plain;
}

export interface Corpus {
  readonly cases: readonly Case[];
  readonly inventories: PlainMap;
}

/** There is nothing to replay: the sentence names the file, and the line where it is one. */
export class CorpusBroken extends Error {
  override readonly name = 'CorpusBroken';
}

/** Reads one file, or every `.jsonl` file of a folder. @throws {CorpusBroken} */
export function readCorpus(path: string): Corpus {
  const isFolder = reading(path, () => statSync(path).isDirectory());
  const folder = isFolder ? path : dirname(path);
  const files = isFolder
    ? readdirSync(path)
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const cases = files.flatMap(casesIn);
  return { cases, inventories: readInventories(join(folder, 'inventories.json')) };
}

function casesIn(file: string): readonly Case[] {
  const lines = reading(file, () => readFileSync(file, 'utf8')).split('\n');
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [reading(`${file}:${String(index + 1)}`, () => readCase(line))],
  );
}

function readInventories(file: string): PlainMap {
  return existsSync(file) ? reading(file, () => mapOf(parseJson(readFileSync(file, 'utf8')))) : {};
}

function reading<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CorpusBroken(`${place}: ${isNativeError(error) ? error.message : String(error)}`, { cause: error });
  }
}

export function readCase(line: string): Case {
  const raw = mapOf(parseJson(line));
  return {
    id: textOf(raw['id']),
    family: textOf(raw['family']),
    template: textOf(raw['template']),
    inventory: typeof raw['inventory'] === 'string' ? raw['inventory'] : undefined,
    config: mapOf(raw['config']),
    request: mapOf(raw['request']),
    directory: mapOf(raw['directory']),
    expected: mapOf(raw['improved'] ?? raw['expect']),
  };
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Numbers keep what JSON's own reader loses: `1.0` is no integer, and large integers are exact. */
export function parseJson(text: string): Plain {
  const kept = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token;
    const number = Number(token);
    if (/[.eE]/.test(token)) return Number.isInteger(number) ? `{"$float":"${token}"}` : token;
    return Number.isSafeInteger(number) ? token : `{"$int":"${token}"}`;
  });
  return JSON.parse(kept) as Plain;
}

export function mapOf(plain: Plain | undefined): PlainMap {
  return plain === null || typeof plain !== 'object' || isPlainList(plain) ? {} : plain;
}

export function listOf(plain: Plain | undefined): readonly Plain[] {
  return plain !== null && typeof plain === 'object' && isPlainList(plain) ? plain : [];
}

function isPlainList(plain: Plain): plain is readonly Plain[] {
  return Array.isArray(plain);
}

export function textOf(plain: Plain | undefined): string {
  return typeof plain === 'string' ? plain : '';
}

export function textsOf(plain: Plain | undefined): readonly string[] {
  return listOf(plain).filter((item) => typeof item === 'string');
}

/** A part of a case as a value of the domain; absent stays absent. */
export function valueOf(plain: Plain | undefined): Value {
  return plain === undefined ? null : fromPlain(withMarkedKeys(plain));
}

/** Of compat/cases/README.md. `$text` is no value of ours: `fromPlain` says so. */
const TAGS = ['$float', '$int', '$text'];

/** A key of the corpus that begins with `$` and is none of those is marked as ours mark it. */
function withMarkedKeys(plain: Plain): Plain {
  if (plain === null || typeof plain !== 'object') return plain;
  if (isPlainList(plain)) return plain.map(withMarkedKeys);
  const keys = Object.keys(plain);
  if (keys.length === 1 && TAGS.includes(keys[0] ?? '')) return plain;
  return Object.fromEntries(
    Object.entries(plain).map(([key, item]) => [key.startsWith('$') ? `$${key}` : key, withMarkedKeys(item)]),
  );
}

/** What a family answers, as the corpus writes it. */
export function asInCorpus(plain: Plain): Plain {
  if (plain === null || typeof plain !== 'object') return plain;
  if (isPlainList(plain)) return plain.map(asInCorpus);
  return Object.fromEntries(
    Object.entries(plain).map(([key, item]) => [key.startsWith('$$') ? key.slice(1) : key, asInCorpus(item)]),
  );
}

export function valuesOf(plain: Plain | undefined): readonly Value[] {
  return listOf(plain).map(valueOf);
}

/** The fleet that a case names. */
export function inventoryOf({ inventories }: Corpus, name: string | undefined): Inventory {
  const raw = mapOf(inventories[name ?? '']);
  const accepted = new Set(textsOf(raw['accepted']));
  const data = new Map(Object.entries(mapOf(raw['cache'])).map(([id, entry]) => [id, minionData(entry)] as const));
  return { accepted, dataOf: (id) => data.get(id), stale: [...data.keys()].filter((id) => !accepted.has(id)) };
}

function minionData(entry: Plain): MinionData | null {
  if (entry === null) return null;
  const { grains, pillar } = mapOf(entry);
  return { grains: valueMap(grains), pillar: valueMap(pillar) };
}

function valueMap(plain: Plain | undefined): ValueMap {
  const value = valueOf(plain);
  return isMap(value) ? value : {};
}
