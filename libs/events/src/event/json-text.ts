/** Values as JSON text for programs of any language: floats keep their point, large whole numbers their digits. */
import { Float, isList, type Value } from '@natrium/model';

/** Within a text JSON may hold both as they are, and many a reader of lines takes them for the end of one. */
const LINE_ENDS = /[\u2028\u2029]/g;

export function jsonText(value: Value): string {
  return textOf(value).replace(LINE_ENDS, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));
}

function textOf(value: Value): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : 'null';
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Float) return floatText(value.value);
  if (isList(value)) return `[${value.map(textOf).join(',')}]`;
  const parts: string[] = [];
  for (const [key, item] of Object.entries(value) as readonly (readonly [string, Value | undefined])[]) {
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${textOf(item)}`);
  }
  return `{${parts.join(',')}}`;
}

/** JSON has no infinity: null stands for what it cannot say. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const text = JSON.stringify(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
