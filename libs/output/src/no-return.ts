/** `no_return`: `id:` and the sentence about it, all in red; values that are no text do not show. */
import { isMap, type Value } from '@natrium/model';
import { paint } from './color.js';
import { disarm, splitLines } from './lines.js';
import type { Outputter } from './outputter.js';
import { sortedEntries } from './sorted-entries.js';

export const noReturn: Outputter = (value, { color }) => {
  return linesOf(value, 0)
    .map(({ indent, text, suffix }) => `${' '.repeat(indent)}${paint(text, 'red', color)}${suffix}`)
    .join('\n');
};

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly suffix: string;
}

function linesOf(value: Value, indent: number): readonly Line[] {
  if (typeof value === 'string') return splitLines(value).map((line) => ({ indent, text: disarm(line), suffix: '' }));
  if (!isMap(value)) return [];
  return sortedEntries(value).flatMap(([key, item]) => [
    { indent, text: disarm(key), suffix: ':' },
    ...linesOf(item, indent + 4),
  ]);
}
