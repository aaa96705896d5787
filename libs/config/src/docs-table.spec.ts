/** `UPDATE_DOCS=1` writes the file instead of comparing it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { configurationDocs } from './docs-table.js';

const FILE = new URL('../../../docs/configuration.md', import.meta.url);

it('docs/configuration.md is what the schemas say (UPDATE_DOCS=1 writes it)', () => {
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, configurationDocs());
  expect(readFileSync(FILE, 'utf8')).toBe(configurationDocs());
});

it('each key is documented once in each file, with what it takes', () => {
  const rows = configurationDocs()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(60);
  for (const row of rows)
    expect(
      row
        .replaceAll('\\|', '')
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1)
        .every((cell) => cell !== ''),
    ).toBe(true);
});
