import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathTrouble } from './path-trouble.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nt-path-trouble-'));
  writeFileSync(join(dir, 'file'), '');
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function troubleWith(name: string, use: (path: string) => unknown): string {
  const path = name.startsWith('/') ? name : join(dir, name);
  try {
    use(path);
    return 'none';
  } catch (error) {
    return pathTrouble(path, error).replaceAll(dir, 'DIR');
  }
}

it.each([
  ['none/file', 'there is no folder DIR/none'],
  ['.', 'DIR is a folder: name a file in it'],
  ['file/file', 'DIR/file is no folder'],
  ['other', 'none'],
])('a file %s that is to be written: %s', (name, trouble) => {
  expect(troubleWith(name, (path) => openSync(path, 'w'))).toBe(trouble);
});

it.each([
  ['file', 'DIR/file is a file: name a folder'],
  ['/proc/none', 'nothing can be made in /proc'],
  ['other', 'none'],
])('a folder %s that is to be made: %s', (name, trouble) => {
  expect(troubleWith(name, (path) => mkdirSync(path))).toBe(trouble);
});

it.each([
  [{ code: 'EACCES', message: 'EACCES: permission denied' }, 'this account may not write to /a/b'],
  [new Error('EIO: i/o error'), 'EIO: i/o error'],
])('%j', (cause, trouble) => {
  expect(pathTrouble('/a/b', cause)).toBe(trouble);
});
