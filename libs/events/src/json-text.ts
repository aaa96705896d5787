/** Values as JSON text for programs of any language: floats keep their point, large whole numbers their digits. */
import { Float, isList, type Value } from '@natrium/model';

export function jsonText(value: Value): string {
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : 'null';
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Float) return floatText(value.value);
  if (isList(value)) return `[${value.map(jsonText).join(',')}]`;
  const parts: string[] = [];
  for (const [key, item] of Object.entries(value) as readonly (readonly [string, Value | undefined])[]) {
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${jsonText(item)}`);
  }
  return `{${parts.join(',')}}`;
}

/** JSON has no infinity: null stands for what it cannot say. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const text = JSON.stringify(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
