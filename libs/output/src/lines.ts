/**
 * A minion's text on the operator's terminal: split into lines as Python does, and disarmed.
 *
 * A return may hold terminal control sequences; printed raw they could rewrite what the operator sees.
 */

/** Lines as `str.splitlines()`: no last empty line, and an empty text has none. */
function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/u);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Marks with which the text of one value changes where a terminal shows the others. */
export const REORDERS = '[\\u202a-\\u202e\\u2066-\\u2069]';

const UNFIT = new RegExp(`[^\\P{Cc}\\t]|${REORDERS}`, 'gu');

/** Every control character but the tab becomes `?`; so do the marks that reorder text. */
export function disarm(line: string): string {
  return line.replaceAll(UNFIT, '?');
}

/** Both together: what may be printed of `text`, line by line. */
export function printableLines(text: string): readonly string[] {
  return splitLines(text).map(disarm);
}
