/**
 * Python's text of a value, as `str()` and `repr()` print it: access conditions and several outputters compare or show it.
 *
 * The original's behaviour: compat/cases/auth_check.jsonl, compat/cases/data_match.jsonl.
 */
import { Float, isList, type Value } from './value.js';

/** Text as `str(value)`. */
export function pyStr(value: Value): string {
  return typeof value === 'string' ? value : pyRepr(value);
}

/** Text as `repr(value)`. */
export function pyRepr(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : floatRepr(value);
  if (typeof value === 'string') return quote(value);
  if (value instanceof Float) return floatRepr(value.value);
  if (isList(value)) return `[${value.map(pyRepr).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${quote(key)}: ${pyRepr(item)}`)
    .join(', ')}}`;
}

/** As Python writes a float. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  // Python writes an exponent below 1e-4 and from 1e16 on, with at least two digits.
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = mark;
  for (const char of text) out += char === mark ? `\\${char}` : (ESCAPES[char] ?? printable(char));
  return out + mark;
}

function printable(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return char;
  // Python keeps what Unicode calls printable: not controls, formats, surrogates, separators (but the plain blank), unassigned.
  if (code >= 0xa1 && !/[\p{C}\p{Z}]/u.test(char)) return char;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
