/** `txt`: `id: line` for each line of each value; a value that is no text in Python's spelling. */
import { isMap, pyRepr, type Value } from '@natrium/model';
import { disarm, printableLines } from './lines.js';
import type { Outputter } from './outputter.js';

export const txt: Outputter = (value) => {
  if (!isMap(value)) return linesOf(value).join('\n');
  return Object.entries(value)
    .flatMap(([key, item]) => linesOf(item).map((line) => `${disarm(key)}: ${line}`))
    .join('\n');
};

function linesOf(value: Value): readonly string[] {
  return typeof value === 'string' ? printableLines(value) : [pyRepr(value)];
}
