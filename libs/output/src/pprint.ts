/** `pprint`: Python's `pprint.pformat`, with its line breaks: maps by key, one entry a line where a line would be too long. */
import { BLANK } from '@natrium/args';
import { isList, isMap, pyRepr, type Value } from '@natrium/model';
import type { Outputter } from './outputter.js';
import { sortedEntries } from './sorted-entries.js';

const WIDTH = 80;

/** Where a value begins, and how much has to follow it on its last line. */
interface Place {
  readonly column: number;
  readonly after: number;
  readonly level: number;
}

export const pprint: Outputter = (value, { indent }) =>
  // A negative indent is Salt's word for another outputter's one line.
  format(value, { column: 0, after: 0, level: 0 }, indent === undefined || indent < 0 ? 1 : indent);

function format(value: Value, place: Place, step: number): string {
  const whole = repr(value);
  if (width(whole) <= WIDTH - place.column - place.after) return whole;
  const inside = { ...place, level: place.level + 1 };
  if (typeof value === 'string' && value !== '') return formatText(value, inside);
  if (isList(value)) return formatList(value, inside, step);
  return isMap(value) ? formatMap(sortedEntries(value), inside, step) : whole;
}

function formatMap(entries: readonly (readonly [string, Value])[], place: Place, step: number): string {
  const column = place.column + step;
  const rows = entries.map(([key, item], index) => {
    const name = `${pyRepr(key)}: `;
    const after = index === entries.length - 1 ? place.after + 1 : 1;
    return name + format(item, { ...place, column: column + width(name), after }, step);
  });
  return `{${' '.repeat(Math.max(0, step - 1))}${rows.join(lineBreak(column, ','))}}`;
}

function formatList(items: readonly Value[], place: Place, step: number): string {
  const column = place.column + step;
  const rows = items.map((item, index) =>
    format(item, { ...place, column, after: index === items.length - 1 ? place.after + 1 : 1 }, step),
  );
  return `[${' '.repeat(Math.max(0, step - 1))}${rows.join(lineBreak(column, ','))}]`;
}

/** Texts that follow each other are one for Python: at the ends of its lines first, then between words. */
function formatText(text: string, { column, after, level }: Place): string {
  const bare = level === 1;
  const start = bare ? column + 1 : column;
  const room = { first: WIDTH - start, last: WIDTH - start - (bare ? after + 1 : after) };
  const lines = linesOf(text);
  const chunks = lines.flatMap((line, index) =>
    chunksOf(line, room.first, index === lines.length - 1 ? room.last : room.first),
  );
  const [only = '', ...more] = chunks.map(pyRepr);
  if (more.length === 0) return only;
  const rows = [only, ...more].join(lineBreak(start, ''));
  return bare ? `(${rows})` : rows;
}

/** @param last The room for what ends the line. */
function chunksOf(line: string, room: number, last: number): readonly string[] {
  if (width(pyRepr(line)) <= last) return [line];
  const words = wordsOf(line);
  const chunks: string[] = [];
  let current = '';
  for (const [index, word] of words.entries()) {
    const fits = width(pyRepr(current + word)) <= (index === words.length - 1 ? last : room);
    if (!fits && current !== '') chunks.push(current);
    current = fits ? current + word : word;
  }
  return [...chunks, current];
}

/** With what ends each; Python breaks lines at more than the usual characters. */
function linesOf(text: string): readonly string[] {
  return (
    text
      .match(/[^\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]*(?:\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]|$)/g)
      ?.filter((line) => line !== '') ?? []
  );
}

const WORD = new RegExp(`(?:(?!${BLANK})[\\s\\S])*${BLANK}*`, 'g');

/** Each with the blanks after it. */
function wordsOf(line: string): readonly string[] {
  return line.match(WORD)?.filter((word) => word !== '') ?? [];
}

function repr(value: Value): string {
  if (isList(value)) return `[${value.map(repr).join(', ')}]`;
  if (!isMap(value)) return pyRepr(value);
  return `{${sortedEntries(value)
    .map(([key, item]) => `${pyRepr(key)}: ${repr(item)}`)
    .join(', ')}}`;
}

function lineBreak(column: number, mark: string): string {
  return `${mark}\n${' '.repeat(column)}`;
}

/** In characters, as Python counts them. */
function width(text: string): number {
  return Array.from(text).length;
}
