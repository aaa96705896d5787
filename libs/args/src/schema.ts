/**
 * The YAML dialect of Salt's users as a js-yaml schema: YAML 1.1 with Salt's changes.
 *
 * Booleans `yes no on off true false`, no `y n`; `010` is 10; base 60 (`12:30` is 750); dates stay text; integers beyond
 * 2^53 are bigint; floats that JavaScript cannot tell from integers are `Float`; keys become text; a key twice is an error.
 * A tag that only YAML has (`!!set`, `!!binary`, …) is an error: `Value` has no such kinds.
 *
 * Spec: spec/config.md#yaml. The original's behaviour: compat/cases/cli_args.jsonl.
 */
import { Float, pyRepr, type Value } from '@natrium/model';
import { defineMappingTag, defineScalarTag, defineSequenceTag, NOT_RESOLVED, Schema, strTag } from 'js-yaml';
import { EQUALS, MapPairs, MergedKey } from './map-pairs.js';
import * as scalars from './scalars.js';

const CORE = 'tag:yaml.org,2002:';
const DIGITS = Array.from('0123456789');

/** It means something only as a key; anywhere else it is an error, as in the original. */
const MERGE: unique symbol = Symbol('<<');

const nullTag = defineScalarTag(`${CORE}null`, {
  implicit: true,
  implicitFirstChars: ['', '~', 'n', 'N'],
  resolve: (text, explicit) => (explicit || scalars.isNullWord(text) ? null : NOT_RESOLVED),
  identify: (data) => data === null,
  represent: () => 'null',
});

const boolTag = defineScalarTag(`${CORE}bool`, {
  implicit: true,
  implicitFirstChars: Array.from('yYnNtTfFoO'),
  resolve: (text, explicit) => scalars.readBoolean(text, explicit) ?? NOT_RESOLVED,
  identify: (data) => typeof data === 'boolean',
});

const intTag = defineScalarTag<Value | scalars.Malformed>(`${CORE}int`, {
  implicit: true,
  implicitFirstChars: ['-', '+', ...DIGITS],
  resolve: (text, explicit) =>
    explicit ? scalars.constructInteger(text) : (scalars.readInteger(text) ?? NOT_RESOLVED),
  identify: (data) => typeof data === 'bigint' || (Number.isInteger(data) && !Object.is(data, -0)),
});

const floatTag = defineScalarTag<Value | scalars.Malformed>(`${CORE}float`, {
  implicit: true,
  implicitFirstChars: ['-', '+', '.', ...DIGITS],
  resolve: (text, explicit) => (explicit ? scalars.constructFloat(text) : (scalars.readFloat(text) ?? NOT_RESOLVED)),
  identify: (data) => data instanceof Float || typeof data === 'number',
  represent: (data: Float | number) => yamlFloat(data instanceof Float ? data.value : data),
});

/** A date, and what Python 2 wrote as `!!python/unicode`, stay text. */
const textTags = ['timestamp', 'python/unicode'].map((name) =>
  defineScalarTag(`${CORE}${name}`, { resolve: (text) => text, identify: () => false }),
);

const equalsTag = defineScalarTag<symbol>(`${CORE}value`, {
  implicit: true,
  implicitFirstChars: ['='],
  resolve: (text) => (text === '=' ? EQUALS : NOT_RESOLVED),
  identify: () => false,
});

const mergeTag = defineScalarTag<symbol>(`${CORE}merge`, {
  implicit: true,
  implicitFirstChars: ['<'],
  resolve: (text) => (text === '<<' ? MERGE : NOT_RESOLVED),
  identify: () => false,
});

const seqTag = defineSequenceTag<unknown[]>(`${CORE}seq`, {
  create: () => [],
  addItem: (list, item) => {
    if (typeof item === 'symbol') return unusable(item);
    list.push(item);
    return '';
  },
  identify: Array.isArray,
});

const mapTag = defineMappingTag<MapPairs, Record<string, unknown>>(`${CORE}map`, {
  create: () => new MapPairs(),
  addPair: (pairs, key, value) => {
    if (typeof value === 'symbol') return unusable(value);
    return pairs.add(key, value) ? '' : 'a key must be a plain word, not a list or a mapping';
  },
  has: (pairs, key) => pairs.has(key),
  keys: (map) => MapPairs.mergedKeys(map),
  get: (map, key) => (key instanceof MergedKey ? map[key.text] : undefined),
  finalize: (pairs) => pairs.finish(),
  identify: (data) => typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Float),
  represent: (data: Record<string, unknown>) => new Map(Object.entries(data)),
});

export const SALT_SCHEMA: Schema = new Schema([
  strTag,
  seqTag,
  mapTag,
  nullTag,
  boolTag,
  intTag,
  floatTag,
  ...textTags,
  equalsTag,
  mergeTag,
]);

function unusable(mark: symbol): string {
  return mark === scalars.MALFORMED
    ? 'this word looks like a number but is none'
    : `"${String(mark.description)}" needs quotes`;
}

function yamlFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const text = pyRepr(new Float(value));
  // YAML 1.1 reads an exponent only behind a point.
  return /^[-0-9]+e/.test(text) ? text.replace('e', '.0e') : text;
}
