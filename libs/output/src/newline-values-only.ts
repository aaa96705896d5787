/** `newline_values_only`: the values without their ids, one a line; a list gives a line for each item. */
import { isList, isMap, pyStr } from '@natrium/model';
import { printableLines } from './lines.js';
import type { Outputter } from './outputter.js';

export const newlineValuesOnly: Outputter = (value) => {
  const values = isMap(value) ? Object.values(value) : [value];
  return values
    .flatMap((item) => (isList(item) ? item : [item]))
    .flatMap((item) => printableLines(pyStr(item)))
    .join('\n');
};
