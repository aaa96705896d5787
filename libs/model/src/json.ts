/**
 * Values as the JSON that any language reads and writes: `1.0` stays a float and a large integer keeps its digits.
 *
 * JavaScript's own reader would make 1 of `1.0`. What JSON has no word for is written as Python writes it (`NaN`).
 */
import { Float, float, isList, isMap, type Value } from './value.js';

const MAX_DEPTH = 64;
/** Of a whole number: a longer one is nobody's intention, and turning it into a number takes quadratic time. */
export const MAX_DIGITS = 400;
/** Only a text with such a number may hold one that JavaScript's own reader would change. */
const DOUBTFUL = /\d{16}|\d\.0+(?!\d)|\d[eE]|Infinity|NaN/;
/** A text, also one that is never closed, so that nothing in it is looked at again; or a number as JSON or Python writes it. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?(?:Infinity|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|NaN/g;
const PLACES = new RegExp(`${TOKEN.source}|[[\\]{}]`, 'g');
const WHOLE = /^-?\d+$/;

export function writeJson(value: Value): string {
  if (value instanceof Float) return floatText(value.value);
  if (typeof value === 'bigint') return value.toString();
  if (isList(value)) return `[${value.map((item) => writeJson(item)).join(',')}]`;
  if (!isMap(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item)}`)
    .join(',')}}`;
}

/**
 * @param mark A text that no value holds: it marks numbers on their way through JavaScript's reader.
 * @throws {SyntaxError} When it is not JSON. @throws {RangeError} When it is nested deeper than 64 levels, or a whole number in it is too long.
 */
export function readJson(text: string, mark: string): Value {
  const isDoubtful = DOUBTFUL.test(text);
  const marked = isDoubtful ? text.replace(TOKEN, (token) => (isPlain(token) ? token : `"${mark}${token}"`)) : text;
  const value = JSON.parse(marked) as Value;
  try {
    return unmark(value, isDoubtful ? mark : undefined, 0);
  } catch (cause) {
    throw cause instanceof RangeError ? new RangeError(`${cause.message}${placeOf(text)}`, { cause }) : cause;
  }
}

/** Line and column of the first that is too deep or too long: only a text that is refused is looked through for it. */
function placeOf(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(PLACES)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth <= MAX_DEPTH && !isTooLong(token)) continue;
    const before = text.slice(0, index).split('\n');
    return ` (${String(before.length)}:${String((before.at(-1) ?? '').length + 1)})`;
  }
  return '';
}

function isPlain(token: string): boolean {
  if (token.startsWith('"')) return true;
  const number = Number(token);
  return WHOLE.test(token)
    ? Number.isSafeInteger(number)
    : Number.isFinite(number) && !Number.isInteger(number) && token !== 'NaN';
}

function unmark(value: Value, mark: string | undefined, depth: number): Value {
  if (depth > MAX_DEPTH) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'string')
    return mark !== undefined && value.startsWith(mark) ? markedNumber(value.slice(mark.length)) : value;
  if (isList(value)) return value.map((item) => unmark(item, mark, depth + 1));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unmark(item, mark, depth + 1)]));
}

function markedNumber(text: string): Value {
  if (!WHOLE.test(text)) return float(Number(text));
  if (isTooLong(text)) throw new RangeError(`a whole number of more than ${MAX_DIGITS} digits`);
  return BigInt(text);
}

function isTooLong(token: string): boolean {
  return token.length > MAX_DIGITS + Number(token.startsWith('-')) && WHOLE.test(token);
}

function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(1) : String(value);
}
