/** Rules of key files: their owner's alone, whole or not at all, and what cannot be read is neither used nor replaced. */
import {
  chmodSync,
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
import { inspect } from 'node:util';
import { KeyfileCorrupt, makeFolder, readKeyFile, writeKeyFile, writeWhole } from './secret-file.js';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-keyfile-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a key file', () => {
  it('is read as it was written', () => {
    const path = join(folder, 'minion.key');
    writeKeyFile(path, KEY);
    expect(readKeyFile(path)).toEqual(KEY);
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('and its new folder are their owner’s alone, whatever the umask', () => {
    const before = process.umask(0);
    try {
      writeKeyFile(join(folder, 'pki', 'minion.key'), KEY);
    } finally {
      process.umask(before);
    }
    expect(modeOf(join(folder, 'pki', 'minion.key'))).toBe('600');
    expect(modeOf(join(folder, 'pki'))).toBe('700');
  });

  it('that everybody may read gets all its bits under a strict umask', () => {
    const before = process.umask(0o077);
    try {
      writeWhole(join(folder, 'roles'), 'x', 0o644);
    } finally {
      process.umask(before);
    }
    expect(modeOf(join(folder, 'roles'))).toBe('644');
  });

  it('becomes its owner’s alone when it replaces one that was not', () => {
    const path = join(folder, 'minion.key');
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    writeKeyFile(path, KEY);
    expect(modeOf(path)).toBe('600');
  });

  it('that does not exist is no error', () => {
    expect(readKeyFile(join(folder, 'none'))).toBeUndefined();
  });

  it.each(['', 'x', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), `${'a'.repeat(64)}\n\n`, `${'a'.repeat(63)}g`])(
    'that is damaged is refused by name, and left as it is: %p',
    (text) => {
      const path = join(folder, 'minion.key');
      writeFileSync(path, text);
      expect(() => readKeyFile(path)).toThrow(KeyfileCorrupt);
      expect(() => readKeyFile(path)).toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('never shows its content in the error', () => {
    const path = join(folder, 'minion.key');
    writeFileSync(path, `${'a'.repeat(63)}g`);
    const thrown = () => {
      try {
        return readKeyFile(path);
      } catch (error) {
        return error;
      }
    };
    expect(thrown()).toBeInstanceOf(KeyfileCorrupt);
    expect(inspect(thrown())).not.toMatch(/aaaa/);
  });

  it('that is a folder is an error of its own, not a missing file', () => {
    mkdirSync(join(folder, 'minion.key'));
    expect(() => readKeyFile(join(folder, 'minion.key'))).toThrow(/EISDIR/);
  });
});

describe('a whole write', () => {
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
