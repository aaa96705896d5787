/** Documentation as `-d` prints it: `fun:`, its text, a blank line, by name; each function once. */
import { isMap, type Value } from '@natrium/model';
import { disarm, printableLines } from '@natrium/output';
import type { Io } from '../ports.js';
import type { Printer } from './printer.js';

/** Adds the texts of one answer of `sys.doc` that are not there yet; what is no map of texts adds nothing. */
export function gatherDocs(docs: Map<string, string>, answer: Value): void {
  if (!isMap(answer)) return;
  for (const [fun, text] of Object.entries(answer)) {
    if (typeof text === 'string' && text !== '' && !docs.has(fun)) docs.set(fun, text);
  }
}

/** The texts of one answer. */
export function docsIn(answer: Value): ReadonlyMap<string, string> {
  const docs = new Map<string, string>();
  gatherDocs(docs, answer);
  return docs;
}

export function printDocs(docs: ReadonlyMap<string, string>, printer: Printer, io: Io): void {
  const sorted = [...docs].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [fun, text] of sorted) {
    if (printer.asked !== undefined) printer.show({ [fun]: text });
    else io.out(`${disarm(fun)}:\n\n${indented(text)}\n\n`);
  }
}

/** Text four columns in, unless it is written so already. */
function indented(text: string): string {
  const lines = printableLines(text.replace(/^\s*\n/, '').trimEnd());
  if (lines.every((line) => line === '' || line.startsWith('    '))) return lines.join('\n');
  return lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
}
