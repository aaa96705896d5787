/** Rules of files that are written whole, or not at all, and of their folders. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, writeWhole } from './whole-file.js';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-keyfile-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a whole write', () => {
  it('of what everybody may read gets all its bits under a strict umask', () => {
    const before = process.umask(0o077);
    try {
      writeWhole(join(folder, 'roles'), 'x', 0o644);
    } finally {
      process.umask(before);
    }
    expect(modeOf(join(folder, 'roles'))).toBe('644');
  });

  it('leaves no draft behind', () => {
    writeWhole(join(folder, 'a'), 'one', 0o600);
    writeWhole(join(folder, 'a'), 'two', 0o600);
    expect(readdirSync(folder)).toEqual(['a']);
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('two');
  });

  it('that fails names the file, and leaves its old content, and no draft', () => {
    mkdirSync(join(folder, 'a', 'inside'), { recursive: true });
    expect(() => {
      writeWhole(join(folder, 'a'), 'new', 0o600);
    }).toThrow(expect.objectContaining({ path: join(folder, 'a') }) as Error);
    expect(readdirSync(folder)).toEqual(['a']);
    expect(existsSync(join(folder, 'a', 'inside'))).toBe(true);
  });
});

describe('a folder', () => {
  it('is made with what is missing above it, and left as it is where it is there', () => {
    const deep = join(folder, 'a', 'b');
    makeFolder(deep, 0o750);
    expect([modeOf(join(folder, 'a')), modeOf(deep)]).toEqual(['750', '750']);
    makeFolder(deep, 0o700);
    expect(modeOf(deep)).toBe('750');
  });

  it('is not made where a file is, or where the kernel takes none', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const [path, code] of [
      [join(folder, 'file'), 'EEXIST'],
      [join(folder, 'file', 'below'), 'ENOTDIR'],
      ['/proc/none', 'ENOENT'],
      ['/proc/none/below', 'ENOENT'],
    ] as const)
      expect(() => {
        makeFolder(path, 0o700);
      }).toThrow(code);
  });
});
