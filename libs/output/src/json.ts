/**
 * `json` and `jsonl`, spelled as Python's `json.dumps`: a float keeps its point (`1.0`), a big integer all its digits,
 * `NaN` and `Infinity` as Python writes them; compact is `{"a": 1, "b": [2]}`. Terminal controls are always escaped.
 */
import { Float, isList, isMap, pyRepr, type Value } from '@natrium/model';
import { REORDERS } from './lines.js';
import type { Outputter } from './outputter.js';

const DEFAULT_INDENT = 4;

export const json: Outputter = (value, { indent = DEFAULT_INDENT }) => {
  return indent < 0 ? compact(value) : write(value, indent, '\n');
};

/** One compact object a line: an entry of a map, an item of a list, or the bare value. */
export const jsonl: Outputter = (value) => {
  if (isList(value)) return value.map(compact).join('\n');
  if (!isMap(value)) return compact(value);
  return Object.entries(value)
    .map(([key, item]) => compact({ [key]: item }))
    .join('\n');
};

/**
 * As compact `json`, for readers in any language: what JSON has no word for is null, and U+2028 and U+2029, at which some readers of
 * lines end one, are escaped, as in all that the event bus says to other programs.
 */
export function plainJson(value: Value): string {
  return write(value, 0, undefined, plainScalar);
}

function compact(value: Value): string {
  return write(value, 0, undefined);
}

/** @param lineEnd The line end with the current indentation; undefined keeps everything on one line. */
function write(value: Value, indent: number, lineEnd: string | undefined, shown = scalar): string {
  if (!isList(value) && !isMap(value)) return shown(value);
  const inner = lineEnd === undefined ? undefined : lineEnd + ' '.repeat(indent);
  const [before, between, after] = inner === undefined ? ['', ', ', ''] : [inner, `,${inner}`, lineEnd];
  // Added to one text: to join the members of each level copies what is in it once a level.
  let members = '';
  if (isList(value)) {
    for (const item of value) members += (members === '' ? before : between) + write(item, indent, inner, shown);
    return members === '' ? '[]' : `[${members}${after}]`;
  }
  for (const [key, item] of Object.entries(value))
    members += `${members === '' ? before : between}${shown(key)}: ${write(item, indent, inner, shown)}`;
  return members === '' ? '{}' : `{${members}${after}}`;
}

type Scalar = null | boolean | number | bigint | string | Float;

function scalar(value: Scalar): string {
  if (typeof value === 'string') return printableJson(JSON.stringify(value));
  if (value === null || typeof value === 'boolean') return JSON.stringify(value);
  const digits = pyRepr(value);
  return ({ nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' } as const)[digits] ?? digits;
}

function plainScalar(value: Scalar): string {
  if (typeof value === 'string') return escaped(JSON.stringify(value), /[\u007f-\u009f\u2028\u2029]/g);
  return value instanceof Float && !Number.isFinite(value.value) ? 'null' : scalar(value);
}

const OBEYED = new RegExp(`[\\u007f-\\u009f]|${REORDERS}`, 'g');

/** The same JSON for a terminal: JSON itself leaves the controls from U+007F on and the marks that reorder text as they are. */
export function printableJson(json: string): string {
  return escaped(json, OBEYED);
}

export function escaped(json: string, chars: RegExp): string {
  return json.replaceAll(chars, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
