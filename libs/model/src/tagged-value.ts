/**
 * Values as plain data that every codec of this project carries without loss (MessagePack, JSON).
 *
 * `Float` becomes `{$float: text}`, `bigint` `{$int: text}`; a key of a user's own map that begins with `$` gets one more.
 *
 * Spec: spec/wire.md#values. The corpus of compat/cases uses the same notation.
 */
import { floatRepr } from './py-text.js';
import { Float, isList, type Value } from './value.js';

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

const MAX_DEPTH = 64;

/**
 * What holds nothing that travels otherwise is given back as it is, and not as a copy.
 *
 * @throws {RangeError} When it is nested deeper than 64 levels.
 */
export function toPlain(value: Value, depth = 0): Plain {
  if (depth > MAX_DEPTH) throw new RangeError(`value nested deeper than ${String(MAX_DEPTH)} levels`);
  if (typeof value === 'bigint') return { $int: value.toString() };
  if (typeof value === 'number') return isItself(value) ? value : { $float: floatRepr(value) };
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Float) return { $float: floatRepr(value.value) };
  if (isList(value)) return mapped(value, (item) => toPlain(item, depth + 1));
  // What a module returns may hold undefined, whatever its type says, and be of a class of its own; Python has neither.
  const items: MapOf<Value | undefined> = value;
  return remade<Value | undefined, Plain>(items, dollarMore, (item) =>
    item === undefined ? undefined : toPlain(item, depth + 1),
  );
}

/**
 * What holds no tag is given back as it is, and not as a copy.
 *
 * @throws {RangeError} When a tag is unknown, or it is nested deeper than 64 levels.
 */
export function fromPlain(plain: Plain, depth = 0): Value {
  if (depth > MAX_DEPTH) throw new RangeError(`value nested deeper than ${String(MAX_DEPTH)} levels`);
  if (plain === null || typeof plain !== 'object') return plain;
  if (isPlainList(plain)) return mapped(plain, (item) => fromPlain(item, depth + 1));
  if (ArrayBuffer.isView(plain)) throw new RangeError('bytes are not a value');
  const keys = Object.keys(plain);
  const [only = ''] = keys;
  if (keys.length === 1 && isTag(only)) return fromTag(only, plain[only]);
  return remade<Plain, Value>(plain, dollarLess, (item) => fromPlain(item, depth + 1));
}

type MapOf<T> = Readonly<Record<string, T>>;

/** The list itself where each item stays what it is. */
function mapped<T, U>(list: readonly T[], to: (item: T) => U): readonly U[] {
  let copy: U[] | undefined;
  for (const [index, item] of list.entries()) {
    const made = to(item);
    if ((made as unknown) !== item) copy ??= list.slice(0, index) as unknown as U[];
    copy?.push(made);
  }
  return copy ?? (list as unknown as readonly U[]);
}

/** The map itself where each entry stays what it is; what `itemOf` has no item for is left out. */
function remade<T, U>(map: MapOf<T>, keyOf: (key: string) => string, itemOf: (item: T) => U | undefined): MapOf<U> {
  const keys = Object.keys(map);
  let copy: [string, U][] | undefined = Object.getPrototypeOf(map) === Object.prototype ? undefined : [];
  keys.forEach((key, index) => {
    const item = map[key] as T;
    const [name, made] = [keyOf(key), itemOf(item)];
    const isItself = made !== undefined && (made as unknown) === item && name === key;
    if (!isItself) copy ??= keys.slice(0, index).map((before) => [before, map[before] as unknown as U]);
    if (made !== undefined) copy?.push([name, made]);
  });
  return copy === undefined ? (map as unknown as MapOf<U>) : Object.fromEntries(copy);
}

function dollarMore(key: string): string {
  return key.startsWith('$') ? `$${key}` : key;
}

function dollarLess(key: string): string {
  if (isTag(key)) throw new RangeError(`unknown value tag ${key}`);
  return key.startsWith('$') ? key.slice(1) : key;
}

function isTag(key: string): boolean {
  return key.startsWith('$') && !key.startsWith('$$');
}

/** What the wire carries as it is: the rest is no whole number there, and a plain number is not always made with care. */
function isItself(value: number): boolean {
  if (Object.is(value, -0)) return false;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function isPlainList(plain: Plain): plain is readonly Plain[] {
  return Array.isArray(plain);
}

function fromTag(tag: string, content: Plain | undefined): Value {
  if (typeof content === 'string') {
    if (tag === '$int' && /^-?\d{1,400}$/.test(content)) return BigInt(content);
    if (tag === '$float') return new Float(parseFloatText(content));
  }
  throw new RangeError(`unknown value tag ${tag}`);
}

function parseFloatText(text: string): number {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  if (text === 'nan') return NaN;
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new RangeError('not a float');
  return Number(text);
}
