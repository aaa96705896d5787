/**
 * `nested`, the default: keys, then values four columns further, a line of dashes opening every map but the top one.
 *
 * Diverges: every control character of a text shows as `?`, not only escape.
 */
import { isList, isMap, pyRepr, type Value, type ValueMap } from '@natrium/model';
import { type Color, paint } from './color.js';
import { disarm, printableLines } from './lines.js';
import type { Outputter, OutputOptions } from './outputter.js';
import { sortedEntries } from './sorted-entries.js';

const STEP = 4;
const DASHES = '----------';

interface Page {
  readonly lines: string[];
  readonly options: OutputOptions;
}

export const nested: Outputter = (value, options) => {
  const page: Page = { lines: [], options };
  show(page, value, 0, '');
  return page.lines.join('\n');
};

function show(page: Page, value: Value, indent: number, prefix: string): void {
  if (isMap(value)) showMap(page, value, indent);
  else if (isList(value)) showList(page, value, indent);
  else if (typeof value === 'string') showText(page, value, indent, prefix);
  else put(page, indent, 'lightYellow', `${prefix}${pyRepr(value)}`);
}

function showText(page: Page, text: string, indent: number, prefix: string): void {
  for (const [at, line] of printableLines(text).entries()) {
    put(page, indent, 'green', `${at === 0 ? prefix : ' '.repeat(prefix.length)}${line}`);
  }
}

function showList(page: Page, list: readonly Value[], indent: number): void {
  for (const item of list) {
    if (isMap(item) || isList(item)) {
      put(page, indent, unlessFailed(page, 'green'), '|_');
      show(page, item, indent + 2, '');
    } else {
      show(page, item, indent, '- ');
    }
  }
}

function showMap(page: Page, map: ValueMap, indent: number): void {
  const color = unlessFailed(page, 'cyan');
  if (indent > 0) put(page, indent, color, DASHES);
  for (const [key, value] of sortedEntries(map)) {
    put(page, indent, color, disarm(key), ':');
    show(page, value, indent + STEP, '');
  }
}

function unlessFailed(page: Page, color: Color): Color {
  return (page.options.retcode ?? 0) === 0 ? color : 'red';
}

function put(page: Page, indent: number, color: Color, text: string, suffix = ''): void {
  page.lines.push(`${' '.repeat(indent)}${paint(text, color, page.options.color)}${suffix}`);
}
