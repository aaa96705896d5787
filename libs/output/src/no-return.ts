/** `no_return`: `id:`, and the sentence about it in red; values that are no text do not show. */
import { isMap, type Value } from '@natrium/model';
import { type Color, paint } from './color.js';
import { disarm, printableLines } from './lines.js';
import type { Outputter } from './outputter.js';
import { sortedEntries } from './sorted-entries.js';

export const noReturn: Outputter = (value, { color }) => {
  return linesOf(value, 0)
    .map((line) => `${' '.repeat(line.indent)}${paint(line.text, line.color, color)}${line.suffix}`)
    .join('\n');
};

interface Line {
  readonly indent: number;
  readonly color: Color;
  readonly text: string;
  readonly suffix: string;
}

function linesOf(value: Value, indent: number): readonly Line[] {
  if (typeof value === 'string') {
    return printableLines(value).map((text) => ({ indent, color: 'red', text, suffix: '' }));
  }
  if (!isMap(value)) return [];
  return sortedEntries(value).flatMap(([key, item]) => [
    { indent, color: 'cyan', text: disarm(key), suffix: ':' },
    ...linesOf(item, indent + 4),
  ]);
}
