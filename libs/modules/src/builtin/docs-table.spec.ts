/** The table of docs/modules.md is made from the declarations; `UPDATE_DOCS=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from './index.js';

const FILE = 'docs/modules.md';
const HEAD = '## Built in\n';

it('docs/modules.md lists every function of every module', () => {
  const rows = builtinModules.map(
    ({ name, functions }) => `| \`${name}\` | ${Object.keys(functions).sort().join(', ')} |`,
  );
  const table = `${HEAD}| module | functions |\n|---|---|\n${rows.join('\n')}\n`;
  const [text = ''] = readFileSync(FILE, 'utf8').split(`\n${HEAD}`);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, `${text}\n${table}`);
  expect(readFileSync(FILE, 'utf8')).toBe(`${text}\n${table}`);
});
