/**
 * `table`: one row for each entry of the top map (or item of a list), one column for each field of the rows.
 *
 * Natrium's own layout; Salt's outputter of this name draws only lists of maps. More than a million cells are shown as `nested`. It wants all rows at once, so commands
 * that print as answers come gather them first (`wantsAll`).
 */
import { isList, isMap, pyStr, type Value } from '@natrium/model';
import widthOf from 'fast-string-width';
import { paint } from './color.js';
import { disarm } from './lines.js';
import { nested } from './nested.js';
import type { Outputter } from './outputter.js';
import { sortedEntries } from './sorted-entries.js';

const GAP = '  ';
/** The column of a row that is no map. */
const VALUE = '';

type Row = ReadonlyMap<string, string>;

/** Rows that share no field would be a table of the square of their number. */
const MAX_CELLS = 1_000_000;

export const table: Outputter = (value, options) => {
  const rows = rowsOf(value);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (rows.length * columns.length > MAX_CELLS) return nested(value, options);
  const { color } = options;
  const widths = columns.map((column) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row.get(column) ?? '')), widthOf(column)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell)))
      .join(GAP)
      .trimEnd();
  const body = rows.map((row) => line(columns.map((column) => row.get(column) ?? '')));
  if (columns.every((column) => column === ID || column === VALUE)) return body.join('\n');
  const head = line(columns.map((column) => (column === ID ? '' : column)));
  return [paint(head, 'cyan', color), line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
};

/** The column of the key that a row stood under; no field can have this name, for a blank is not disarmed to it. */
const ID = '\0';

function rowsOf(value: Value): readonly Row[] {
  if (isList(value)) return value.map((item) => cellsOf(item));
  if (!isMap(value)) return [cellsOf(value)];
  return sortedEntries(value).flatMap(([id, item]) => {
    const items = isList(item) && item.some(isMap) ? item : [item];
    return items.map((one) => new Map([[ID, disarm(id)], ...cellsOf(one)]));
  });
}

function cellsOf(value: Value): Row {
  if (!isMap(value)) return new Map([[VALUE, cell(value)]]);
  return new Map(sortedEntries(value).map(([field, item]) => [disarm(field), cell(item)]));
}

function cell(value: Value): string {
  return disarm(pyStr(value).trimEnd().replaceAll('\n', ' ⏎ '));
}
