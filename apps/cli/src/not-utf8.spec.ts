import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notUtf8 } from './not-utf8.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'nt-words-'))));
afterEach(() => {
  rmSync(dir, { recursive: true });
});

/** @param words Each character a byte. */
function placeIn(...words: readonly string[]): number | undefined {
  const file = join(dir, 'cmdline');
  const line = Buffer.from(['node', 'natrium.mjs', ...words].map((word) => `${word}\0`).join(''), 'latin1');
  writeFileSync(file, line);
  return notUtf8(line.toString().split('\0').slice(2, -1), file);
}

it.each([
  [['*', 'test.echo', 'caf\xe9'], 3],
  [['caf\xe9*', 'test.ping'], 1],
  [['*', 'test.echo', '', 'caf\xe9', ''], 4],
  [['*', 'test.echo', 'caf\xc3\xa9'], undefined],
  [['*', 'test.echo', '\xef\xbf\xbd'], undefined],
  [['*', 'test.echo', '\xef\xbf\xbd', 'caf\xe9'], 4],
  [[], undefined],
])('of the words %j the one that is not UTF-8 is %j', (words, place) => {
  expect(placeIn(...words)).toBe(place);
});

it('where the bytes are not to be had, nothing is said against a word', () => {
  expect(notUtf8(['\uFFFD'], join(dir, 'none'))).toBeUndefined();
});
