/** Rules of key files: their owner's alone, whole or not at all, and what cannot be read is neither used nor replaced. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { KeyfileCorrupt, readKeyFile, writeKeyFile } from './key-file.js';

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
