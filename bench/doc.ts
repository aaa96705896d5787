/**
 * Writes the figures into docs/performance.md, between two markers, and their pictures into a folder beside it; the words around them
 * are people's.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fanOutPictures, type Picture } from './fan-out-charts.js';
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
  const pictures = fanOutPictures(figures);
  const folder = file.replace(/\.md$/, '');
  mkdirSync(folder, { recursive: true });
  for (const { file: name, svg } of pictures) writeFileSync(join(folder, name), svg);
  const shown = pictures.map((picture) => imageOf(picture, basename(folder))).join('');
  writeFileSync(file, `${text.slice(0, begin)}${BEGIN}\n\n${shown}${markdownTable(figures)}\n${text.slice(end)}`);
}

function imageOf({ file, title }: Picture, folder: string): string {
  return `![${title}](${folder}/${file})\n\n`;
}
