import { jest } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DiskTrouble, LineFile } from './line-file.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-lines-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let count = 0;
function aFile(text?: string): LineFile {
  count += 1;
  const path = join(folder, String(count), 'lines');
  if (text === undefined) return new LineFile(path);
  new LineFile(path).append('');
  writeFileSync(path, text);
  return new LineFile(path);
}

describe('a file of lines', () => {
  it('is made with its folder when something is appended, for its owner only', () => {
    const file = aFile();
    expect([file.read(), existsSync(file.path)]).toEqual([undefined, false]);
    file.append('one\n');
    file.append('two\n');
    file.close();
    expect([readFileSync(file.path, 'utf8'), statSync(file.path).mode & 0o777, file.bytes]).toEqual([
      'one\ntwo\n',
      0o600,
      8,
    ]);
  });

  it('goes on below a torn line, and at once behind a whole one', () => {
    for (const [text, after] of [
      ['one\ntw', 'one\ntw\nthree\n'],
      ['one\n', 'one\nthree\n'],
    ] as const) {
      const file = aFile(text);
      expect(file.read()).toEqual(text.split('\n'));
      file.append('three\n');
      file.close();
      expect(readFileSync(file.path, 'utf8')).toBe(after);
    }
  });

  it('is emptied of what was read, too, and then appended to from its beginning', () => {
    const file = aFile('one\ntw');
    file.read();
    file.empty();
    expect([readFileSync(file.path, 'utf8'), file.bytes]).toEqual(['', 0]);
    file.append('three\n');
    file.close();
    expect(readFileSync(file.path, 'utf8')).toBe('three\n');
  });

  it('has no drafts beside it once it was read, and what is no draft of it stays', () => {
    const file = aFile('one\n');
    const beside = (name: string) => join(dirname(file.path), name);
    const [draft, others] = [
      beside('lines.0123456789ab.new'),
      ['lines.damaged', 'lines.new', 'other.0123456789ab.new'].map(beside),
    ];
    for (const path of [draft, ...others]) writeFileSync(path, 'x');
    expect(file.read()).toEqual(['one', '']);
    expect([draft, ...others].map((path) => existsSync(path))).toEqual([false, true, true, true]);
  });

  it('written anew has the new text only, and is appended to there', () => {
    const file = aFile('one\ntw');
    file.read();
    file.rewrite('five\n');
    file.append('six\n');
    file.close();
    expect([readFileSync(file.path, 'utf8'), file.bytes]).toEqual(['five\nsix\n', 9]);
  });

  it('is worth writing anew when it is large and less than half of it counts, and for a minute not after that has failed', () => {
    const file = aFile('');
    file.append(`${'x'.repeat(5 << 20)}\n`);
    expect([file.isMostlyOld(1 << 20), file.isMostlyOld(3 << 20)]).toEqual([true, false]);
    rmSync(dirname(file.path), { recursive: true });
    writeFileSync(dirname(file.path), 'no folder');
    expect(() => file.rewrite('')).toThrow('EEXIST');
    expect(file.isMostlyOld(1 << 20)).toBe(false);
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
    expect(file.isMostlyOld(1 << 20)).toBe(true);
    later.mockRestore();
  });
});

describe('a disk that takes nothing', () => {
  it('is tried with one line, and takes the rest in one write as soon as it takes that', () => {
    const file = aFile();
    const told: string[] = [];
    const words = { begins: 'it begins', over: 'it is over' };
    const trouble = new DiskTrouble(
      file,
      words,
      (problem) => told.push(problem),
      () => undefined,
    );
    const append = jest.spyOn(file, 'append');
    const [lines, folderOf] = [['one\n', 'two\n', 'three\n'], dirname(file.path)];
    const tryAll = () => {
      try {
        trouble.append(lines);
      } catch (cause) {
        trouble.failed(cause);
      }
    };
    writeFileSync(folderOf, 'no folder');
    tryAll();
    tryAll();
    rmSync(folderOf);
    tryAll();
    trouble.close();
    file.close();
    expect(append.mock.calls.flat()).toEqual(['one\ntwo\nthree\n', 'one\n', 'one\n', 'two\nthree\n']);
    expect(told).toEqual([expect.stringContaining('it begins'), 'it is over']);
    expect(readFileSync(file.path, 'utf8')).toBe('one\ntwo\nthree\n');
  });
});
