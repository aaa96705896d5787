/**
 * Values as plain data that every codec of this project carries without loss (MessagePack, JSON).
 *
 * `Float` becomes `{$float: text}`, `bigint` `{$int: text}`; a key of a user's own map that begins with `$` gets one more.
 *
 * Spec: spec/wire.md#values. The corpus of compat/cases uses the same notation.
 */
import { floatRepr } from './py-text.js';
import { Float, isList, type Value, type ValueMap } from './value.js';

export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };

const MAX_DEPTH = 64;

/** @throws {RangeError} When it is nested deeper than 64 levels. */
export function toPlain(value: Value, depth = 0): Plain {
  if (depth > MAX_DEPTH) throw new RangeError(`value nested deeper than ${String(MAX_DEPTH)} levels`);
  if (typeof value === 'bigint') return { $int: value.toString() };
  if (typeof value === 'number') return isItself(value) ? value : { $float: floatRepr(value) };
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Float) return { $float: floatRepr(value.value) };
  if (isList(value)) return value.map((item) => toPlain(item, depth + 1));
  const map: [string, Plain][] = [];
  // What a module returns may hold undefined, whatever its type says; Python has no such thing.
  const entries: readonly (readonly [string, Value | undefined])[] = Object.entries(value);
  for (const [key, item] of entries) {
    if (item !== undefined) map.push([key.startsWith('$') ? `$${key}` : key, toPlain(item, depth + 1)]);
  }
  return Object.fromEntries(map);
}

/** @throws {RangeError} When a tag is unknown, or it is nested deeper than 64 levels. */
export function fromPlain(plain: Plain, depth = 0): Value {
  if (depth > MAX_DEPTH) throw new RangeError(`value nested deeper than ${String(MAX_DEPTH)} levels`);
  if (plain === null || typeof plain !== 'object') return plain;
  if (isPlainList(plain)) return plain.map((item) => fromPlain(item, depth + 1));
  if (ArrayBuffer.isView(plain)) throw new RangeError('bytes are not a value');
  const entries = Object.entries(plain);
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only !== undefined && only[0].startsWith('$') && !only[0].startsWith('$$')) return fromTag(only[0], only[1]);
  return fromEntries(entries, depth);
}

/** What the wire carries as it is: the rest is no whole number there, and a plain number is not always made with care. */
function isItself(value: number): boolean {
  if (Object.is(value, -0)) return false;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function fromEntries(entries: readonly (readonly [string, Plain])[], depth: number): ValueMap {
  return Object.fromEntries(
    entries.map(([key, item]) => {
      if (key.startsWith('$') && !key.startsWith('$$')) throw new RangeError(`unknown value tag ${key}`);
      return [key.startsWith('$') ? key.slice(1) : key, fromPlain(item, depth + 1)];
    }),
  );
}

function isPlainList(plain: Plain): plain is readonly Plain[] {
  return Array.isArray(plain);
}

function fromTag(tag: string, content: Plain): Value {
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
