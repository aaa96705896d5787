import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOf, Unlistable } from './file-glob.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-glob-'));
  for (const folder of ['a', 'b']) mkdirSync(join(dir, folder));
  for (const name of ['a/2.conf', 'a/1.conf', 'a/.x.conf', 'b/3.conf', 'b/4.txt', 'b/[.conf'])
    writeFileSync(join(dir, name), '');
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const found = (pattern: string) => filesOf(join(dir, pattern)).map((file) => file.slice(dir.length + 1));

describe('the files of a glob', () => {
  it('are sorted, and hidden ones are named only by a dot', () => {
    expect(found('a/*.conf')).toEqual(['a/1.conf', 'a/2.conf']);
    expect(found('a/.*.conf')).toEqual(['a/.x.conf']);
  });

  it('may have wildcards in every part', () => {
    expect(found('*/[!1].conf')).toEqual(['a/2.conf', 'b/3.conf', 'b/[.conf']);
    expect(found('?/[12].conf')).toEqual(['a/1.conf', 'a/2.conf']);
  });

  it('are the one file of a pattern without wildcards, or none', () => {
    expect(found('b/4.txt')).toEqual(['b/4.txt']);
    expect(found('b/5.txt')).toEqual([]);
    expect(found('c/*.conf')).toEqual([]);
  });

  it('have the characters of a bracket that nothing closes', () => {
    expect(found('b/[.conf')).toEqual(['b/[.conf']);
    expect(found('b/[.con?')).toEqual(['b/[.conf']);
    expect(found('b/[]x[].conf')).toEqual(['b/[.conf']);
  });

  it('are none below what is a file or not there, and unknown where a folder cannot be looked into', () => {
    expect(found('b/4.txt/*.conf')).toEqual([]);
    expect(found('b/4.txt/x/1.conf')).toEqual([]);
    symlinkSync('loop', join(dir, 'loop'));
    expect(() => found('loop/*.conf')).toThrow(new Unlistable(join(dir, 'loop'), 'ELOOP'));
    expect(() => found('loop/1.conf')).toThrow(Unlistable);
    expect(found('loo?')).toEqual(['loop']);
  });
});
