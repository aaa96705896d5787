/** `txt`: `id: line` for each line of each value; a value that is no text in Python's spelling, a bare one as `pprint`. */
import { isMap, pyRepr, type Value } from '@natrium/model';
import { disarm, printableLines } from './lines.js';
import type { Outputter } from './outputter.js';
import { pprint } from './pprint.js';

export const txt: Outputter = (value) => {
  if (typeof value === 'string') return printableLines(value).join('\n');
  if (!isMap(value)) return pprint(value, { color: false });
  return Object.entries(value)
    .flatMap(([key, item]) => linesOf(item).map((line) => `${disarm(key)}: ${line}`))
    .join('\n');
};

function linesOf(value: Value): readonly string[] {
  return typeof value === 'string' ? printableLines(value) : [pyRepr(value)];
}
