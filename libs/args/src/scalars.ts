/**
 * Plain words of YAML 1.1 as Salt reads them: integers, floats, booleans, null.
 *
 * Two things are Salt's own: an unsigned number loses its leading zeros (`010` is 10), and `y`/`n` are text.
 *
 * Spec: spec/config.md#yaml. The original's behaviour: compat/cases/cli_args.jsonl.
 */
import { float, MAX_DIGITS, type Value } from '@natrium/model';

/** What a reader answers for a word that has the form of its kind but no value, such as `0b_`: an error in the original. */
export const MALFORMED: unique symbol = Symbol('malformed');
export type Malformed = typeof MALFORMED;

const INT =
  /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Has a digit too many, which nobody reads who is sent it; of a hexadecimal number that is not its length. */
const TOO_LARGE = 10n ** BigInt(MAX_DIGITS);

const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', 'no', 'off'].map((word) => [word, false] as const),
]);

export function isNullWord(text: string): boolean {
  return NULLS.has(text);
}

/** `yes`, `Yes` and `YES`, but not `yEs`; `anyCase` (a word with an explicit tag) takes that too. */
export function readBoolean(text: string, anyCase = false): boolean | undefined {
  const lower = text.toLowerCase();
  const usual =
    text === lower || text === text.toUpperCase() || text === lower.charAt(0).toUpperCase() + lower.slice(1);
  return usual || anyCase ? BOOLEANS.get(lower) : undefined;
}

/** @returns undefined when the word is not an integer's. */
export function readInteger(text: string): Value | Malformed | undefined {
  return INT.test(text) && unsigned(text).length <= MAX_DIGITS ? constructInteger(text) : undefined;
}

/** @returns undefined when the word is not a float's. */
export function readFloat(text: string): Value | Malformed | undefined {
  return FLOAT.test(text) ? constructFloat(text) : undefined;
}

/** A plain word's value; undefined when it is text. */
export function readPlainWord(text: string): Value | Malformed | undefined {
  if (isNullWord(text)) return null;
  return readBoolean(text) ?? readInteger(text) ?? readFloat(text);
}

/** The value of a word that is said to be an integer; a signed number with a leading zero is octal, as in YAML 1.1. */
export function constructInteger(source: string): Value | Malformed {
  const text = withoutLeadingZeros(source).replaceAll('_', '');
  const digits = unsigned(text);
  const size = digits.includes(':') ? base60(digits) : wholeNumber(digits);
  if (size === undefined || size >= TOO_LARGE) return MALFORMED;
  return narrow(text.startsWith('-') ? -size : size);
}

function unsigned(text: string): string {
  return /^[-+]/.test(text) ? text.slice(1) : text;
}

function withoutLeadingZeros(source: string): string {
  if (!source.startsWith('0') || /^0[bx]/.test(source)) return source;
  return source.replace(/^0+/, '') || '0';
}

function wholeNumber(digits: string): bigint | undefined {
  if (digits.length > MAX_DIGITS) return undefined;
  if (/^0b[01]+$/.test(digits) || /^0x[0-9a-fA-F]+$/.test(digits)) return BigInt(digits);
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  return /^(?:0|[1-9][0-9]*)$/.test(digits) ? BigInt(digits) : undefined;
}

function base60(digits: string): bigint | undefined {
  const parts = digits.split(':');
  if (digits.length > MAX_DIGITS || !parts.every((part) => /^[0-9]+$/.test(part))) return undefined;
  return parts.reduce((sum, part) => sum * 60n + BigInt(part), 0n);
}

function narrow(value: bigint): Value {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** The value of a word that is said to be a float. */
export function constructFloat(source: string): Value | Malformed {
  const text = source.replaceAll('_', '').toLowerCase();
  const sign = text.startsWith('-') ? -1 : 1;
  const size = sizeOf(unsigned(text));
  return size === undefined ? MALFORMED : float(sign * size);
}

function sizeOf(text: string): number | undefined {
  if (text === '.inf') return Infinity;
  if (text === '.nan') return NaN;
  const parts = text.split(':');
  if (!parts.every((part) => /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(part))) return undefined;
  return parts.reverse().reduce((sum, part, index) => sum + Number(part) * 60 ** index, 0);
}
