/** Writes the figures into docs/performance.md, between two markers; the words around them are people's. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Figure } from './figures.js';
import { markdownTable } from './table.js';

const BEGIN = '<!-- figures: written by `npm run bench -- --doc`, do not edit -->';
const END = '<!-- /figures -->';

/** @throws {Error} When the file lacks the markers. */
export function writeFigures(file: string, figures: readonly Figure[]): void {
  const text = readFileSync(file, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${file} lacks the markers between which the figures stand`);
  writeFileSync(file, `${text.slice(0, begin)}${BEGIN}\n\n${markdownTable(figures)}\n${text.slice(end)}`);
}
