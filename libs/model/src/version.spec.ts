import { readFileSync } from 'node:fs';
import { VERSION } from './version.js';

it('is the version of the root package', () => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: VERSION });
});
