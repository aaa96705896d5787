/** Rules of an identity on its own host, and of what the host remembers of its cluster. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, sodiumReady, type Wire } from '@natrium/envelope';
import { ClusterMemoryFile, NextIdentity, readIdentity, readOrMakeIdentity } from './identity-keys.js';
import { KeyfileCorrupt } from './key-file.js';

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-identity-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('an identity', () => {
  it('is made once, and is the same ever after', () => {
    const path = join(folder, 'minion.key');
    const made = readOrMakeIdentity(path);
    const again = readOrMakeIdentity(path);
    expect([made.fresh, again.fresh]).toEqual([true, false]);
    expect(again.identity.publicKey).toEqual(made.identity.publicKey);
    expect(readIdentity(path)?.publicKey).toEqual(made.identity.publicKey);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is not made by reading', () => {
    expect(readIdentity(join(folder, 'minion.key'))).toBeUndefined();
  });

  it('that is damaged is never replaced by a new one', () => {
    const path = join(folder, 'minion.key');
    writeFileSync(path, 'damaged');
    expect(() => readOrMakeIdentity(path)).toThrow(KeyfileCorrupt);
    expect(readFileSync(path, 'utf8')).toBe('damaged');
  });
});

describe('the next identity', () => {
  it('stands beside the one in force until it takes its place, and is the same until then', () => {
    const path = join(folder, 'minion.key');
    const { identity } = readOrMakeIdentity(path);
    const files = new NextIdentity(path);
    expect(files.read()).toBeUndefined();
    const next = files.readOrMake();
    expect(next.publicKey).not.toEqual(identity.publicKey);
    expect(new NextIdentity(path).readOrMake().publicKey).toEqual(next.publicKey);
    expect(readIdentity(path)?.publicKey).toEqual(identity.publicKey);
    files.takeOver();
    expect(readIdentity(path)?.publicKey).toEqual(next.publicKey);
    expect([files.read(), statSync(path).mode & 0o777]).toEqual([undefined, 0o600]);
  });

  it('that is dropped leaves the one in force', () => {
    const path = join(folder, 'minion.key');
    const { identity } = readOrMakeIdentity(path);
    const files = new NextIdentity(path);
    files.readOrMake();
    files.drop();
    files.drop();
    expect(files.read()).toBeUndefined();
    expect(readIdentity(path)?.publicKey).toEqual(identity.publicKey);
  });
});

describe('the memory of a cluster', () => {
  const firstRoot = new Uint8Array(32).fill(7);
  const newest = { bytes: new Uint8Array(9).fill(8), signature: new Uint8Array(64).fill(9) };
  const memory = { firstRoot, serial: 3, timeFloorMs: 1_795_000_000_000, newest };

  it.each([memory, { ...memory, newest: undefined }])('is read as it was written, by its owner alone', (written) => {
    const file = new ClusterMemoryFile(folder);
    expect(file.read()).toBeUndefined();
    file.write(written);
    expect(file.read()).toEqual(written);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it.each<readonly [string, Wire]>([
    ['no list', 7],
    ['too little', [new Uint8Array(32), 3]],
    ['too much', [new Uint8Array(32), 3, 4, [new Uint8Array(9), new Uint8Array(64)], 5]],
    ['a document that is none', [new Uint8Array(32), 3, 4, 5]],
    ['a document without its signature', [new Uint8Array(32), 3, 4, [new Uint8Array(9), new Uint8Array(63)]]],
    ['a short root', [new Uint8Array(31), 3, 4]],
    ['a root that is no key', ['x'.repeat(32), 3, 4]],
    ['a serial that is no number', [new Uint8Array(32), 'x', 4]],
    ['a time that is no number', [new Uint8Array(32), 3, 'x']],
    ['a time that is not whole', [new Uint8Array(32), 3, 4.5]],
    ['a time before all', [new Uint8Array(32), 3, -4]],
  ])('that holds %s is refused and kept: trust is never quietly started anew', (_about, wire) => {
    const file = new ClusterMemoryFile(folder);
    const bytes = encode(wire);
    writeFileSync(file.path, bytes);
    expect(() => file.read()).toThrow(KeyfileCorrupt);
    expect(Uint8Array.from(readFileSync(file.path))).toEqual(Uint8Array.from(bytes));
  });

  it.each(['', '\xc1', 'text'])('that is no encoding is refused: %p', (text) => {
    const file = new ClusterMemoryFile(folder);
    writeFileSync(file.path, text);
    expect(() => file.read()).toThrow(file.path);
  });

  it('that a later version has written in another form is refused with what a host without a backup can do', () => {
    const file = new ClusterMemoryFile(folder);
    writeFileSync(file.path, encode([firstRoot, 3, 4, null, 'more']));
    expect(() => file.read()).toThrow(
      `key file ${file.path} does not hold what was learned of a cluster, in this version's form; restore it from a backup of its folder, or remove it where master_finger is set, or go back to the version that wrote it`,
    );
  });
});
