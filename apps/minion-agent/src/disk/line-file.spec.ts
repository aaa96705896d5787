import { jest } from '@jest/globals';
import {
  appendFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
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

/** On a disk with room for so many bytes of it, which takes a part of what does not fit, as the kernel does. */
function aFileOnASmallDisk(room: () => number): LineFile {
  const { path } = aFile();
  mkdirSync(dirname(path), { recursive: true });
  return new LineFile(path, (file, bytes) => {
    const taken = Math.min(bytes.length, room() - fstatSync(file).size);
    if (taken <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    return writeSync(file, bytes.subarray(0, taken));
  });
}

it('a file that is longer than a text may be is read all the same, as after a crash that left a hole in it', () => {
  const file = aFile('one\n');
  truncateSync(file.path, 540 << 20);
  appendFileSync(file.path, '\ntwo\n');
  const lines = file.read() ?? [];
  expect([lines[0], ...lines.slice(-2), file.bytes]).toEqual(['one', 'two', '', statSync(file.path).size]);
});

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

  it('has nothing of a line that the disk took in part, and is as large as before', () => {
    for (const before of ['', 'one\ntw']) {
      const file = aFileOnASmallDisk(() => 12);
      writeFileSync(file.path, before);
      file.read();
      for (let times = 0; times < 2; times += 1) expect(() => file.append('three four five\n')).toThrow('ENOSPC');
      expect([readFileSync(file.path, 'utf8'), file.bytes]).toEqual([before, before.length]);
      file.append('six\n');
      file.close();
      expect(readFileSync(file.path, 'utf8')).toBe(before === '' ? 'six\n' : 'one\ntw\nsix\n');
    }
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
  function troubleOf(file: LineFile) {
    const told: string[] = [];
    const words = { begins: 'it begins', over: 'it is over' };
    const note = (problem: string) => told.push(problem);
    return { told, trouble: new DiskTrouble(file, words, note, () => undefined) };
  }

  it('is tried with one line, and takes the rest in one write as soon as it takes that', () => {
    const file = aFile();
    const { trouble, told } = troubleOf(file);
    const append = jest.spyOn(file, 'append');
    const [lines, folderOf] = [['one\n', 'two\n', 'three\n'], dirname(file.path)];
    writeFileSync(folderOf, 'no folder');
    expect([trouble.append(lines), trouble.append(lines)]).toEqual([0, 0]);
    rmSync(folderOf);
    expect(trouble.append(lines)).toBe(3);
    trouble.close();
    file.close();
    expect(append.mock.calls.flat()).toEqual(['one\ntwo\nthree\n', 'one\n', 'one\n', 'two\nthree\n']);
    expect(told).toEqual([expect.stringContaining('it begins'), 'it is over']);
    expect(readFileSync(file.path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('and then has room for some of the lines gets each of them once, however often the rest is tried', () => {
    let room = 9;
    const file = aFileOnASmallDisk(() => room);
    const { trouble, told } = troubleOf(file);
    const waiting = ['one\n', 'two\n', 'three\n'];
    for (let times = 0; times < 6; times += 1) waiting.splice(0, trouble.append(waiting));
    expect([readFileSync(file.path, 'utf8'), waiting]).toEqual(['one\ntwo\n', ['three\n']]);
    expect(told).toHaveLength(1);
    room = 100;
    waiting.splice(0, trouble.append(waiting));
    trouble.close();
    file.close();
    expect([readFileSync(file.path, 'utf8'), waiting]).toEqual(['one\ntwo\nthree\n', []]);
    expect(told).toEqual([expect.stringContaining('it begins'), 'it is over']);
  });

  it('and cannot even be closed, as one on another host, ends nothing and is opened anew', () => {
    let room = 0;
    const file = aFileOnASmallDisk(() => room);
    const words = { begins: 'it begins', over: 'it is over' };
    const told: string[] = [];
    const trouble = new DiskTrouble(
      file,
      words,
      (problem) => told.push(problem),
      () => undefined,
    );
    const close = jest.spyOn(file, 'close').mockImplementationOnce(() => {
      throw Object.assign(new Error('EDQUOT: close'), { code: 'EDQUOT' });
    });
    expect(trouble.append(['one\n'])).toBe(0);
    expect([close.mock.calls.length, told]).toEqual([1, [expect.stringContaining('it begins')]]);
    room = 10;
    expect(trouble.append(['one\n'])).toBe(1);
    trouble.close();
    file.close();
    expect(readFileSync(file.path, 'utf8')).toBe('one\n');
  });
});
