/** `newline_values_only`: the values without their ids, one a line; a list gives a line for each item. */
import { isList, isMap, pyStr, type Value } from '@natrium/model';
import { printableLines } from './lines.js';
import type { Outputter } from './outputter.js';

export const newlineValuesOnly: Outputter = (value) => {
  const values = isMap(value) ? Object.values(value) : [value];
  return values
    .flatMap((item) => (isList(item) ? item : [item]))
    .flatMap(linesOf)
    .join('\n');
};

/** With a line end of its own: an empty item is an empty line, and a text that ends in a line end keeps it. */
function linesOf(item: Value): readonly string[] {
  return printableLines(`${pyStr(item)}\n`);
}
