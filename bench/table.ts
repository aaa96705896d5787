/** Figures as a table: plain for a terminal, Markdown for docs/performance.md. */
import type { Figure } from './figures.js';

const HEADS = ['bench', 'metric', 'value', 'unit', 'raw', '× raw'] as const;
const IS_NUMBER = [false, false, true, false, true, true] as const;

export function plainTable(figures: readonly Figure[]): string {
  const rows = [HEADS, ...figures.map(cells)];
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (IS_NUMBER[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

export function markdownTable(figures: readonly Figure[]): string {
  const rule = IS_NUMBER.map((isNumber) => (isNumber ? '--:' : '---'));
  return [HEADS, rule, ...figures.map(cells)].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

function cells({ bench, metric, value, unit, raw, ratio }: Figure): readonly string[] {
  return [bench, metric, String(value), unit, raw === null ? '' : String(raw), ratio === null ? '' : String(ratio)];
}
