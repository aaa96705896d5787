/** Rules of the master's key folder: made whole and once, owner-only, and every damage named with its file. */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterOf, encode, fromHex, SigningKey, sodiumReady, verifyRolesChain } from '@natrium/envelope';
import { StorageFolder } from './storage-folder.js';
import { MasterKeys, ROLES, STORAGE_CLASSES } from './master-keys.js';
import { KeyfileCorrupt } from './key-file.js';

const NOW = 1_795_000_000_000;

let folder: string;
let keys: MasterKeys;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-pki-'));
  keys = new MasterKeys(join(folder, 'pki'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('the master’s keys', () => {
  it('are its owner’s alone, but for what is public', () => {
    keys.create(NOW);
    for (const path of filesIn(folder)) {
      const mode = (statSync(path).mode & 0o777).toString(8);
      expect([path, mode]).toEqual([path, path.endsWith('.key') ? '600' : '644']);
    }
  });

  it('hold a chain that begins at the root and names every role’s key', () => {
    keys.create(NOW);
    const [firstRoot, documents] = keys.chain();
    const root = SigningKey.fromSeed(fromHex(readFileSync(join(keys.folder, 'root.key'), 'utf8').trim()));
    expect(firstRoot).toEqual(root.publicKey);
    expect(verifyRolesChain([firstRoot, documents], { firstRoot }, 1).ok).toBe(true);
    const { cluster, document } = keys.roles();
    expect(cluster).toEqual(clusterOf(firstRoot));
    expect([document.serial, document.notAfter > NOW, document.nextRoot]).toEqual([1, true, null]);
    for (const role of ROLES) expect(document.roles[role]).toEqual([keys.roleKey(role).publicKey]);
  });

  it('are all different', () => {
    keys.create(NOW);
    const secrets = filesIn(folder).filter((path) => path.endsWith('.key'));
    expect(secrets).toHaveLength(1 + ROLES.length + STORAGE_CLASSES.length + 2);
    expect(new Set(secrets.map((path) => readFileSync(path, 'utf8'))).size).toBe(secrets.length);
  });

  it.each([
    ['roles', () => keys.roles()],
    ['first-account.pub', () => keys.firstAccount()],
  ])('that cannot be read are not taken for missing: %s', (name, read) => {
    keys.create(NOW);
    rmSync(join(keys.folder, name));
    symlinkSync(name, join(keys.folder, name)); // leads to itself
    expect(read).toThrow('ELOOP');
  });

  it('enrol the first account by its public half', () => {
    expect(keys.firstAccount()).toBeUndefined();
    keys.create(NOW);
    const account = keys.firstAccount();
    expect([account?.identity.length, account?.nkey.length]).toEqual([32, 32]);
  });

  it('are never made over others: nothing is overwritten', () => {
    keys.create(NOW);
    const before = filesIn(folder).map((path) => [path, readFileSync(path, 'utf8')]);
    expect(() => keys.create(NOW + 1000)).toThrow(/nothing was changed/);
    expect(filesIn(folder).map((path) => [path, readFileSync(path, 'utf8')])).toEqual(before);
  });

  it('are never made over a root whose roles file is lost', () => {
    keys.create(NOW);
    rmSync(join(keys.folder, 'roles'));
    const root = readFileSync(join(keys.folder, 'root.key'), 'utf8');
    expect(() => keys.create(NOW + 1000)).toThrow(/nothing was changed/);
    expect(readFileSync(join(keys.folder, 'root.key'), 'utf8')).toBe(root);
  });
});

describe('the keys of a founding that was interrupted', () => {
  it('go with their drafts, and nothing else does, so that others can be made', () => {
    keys.create(NOW);
    rmSync(keys.rolesPath);
    for (const draft of ['root.key', 'roles']) writeFileSync(join(keys.folder, `${draft}.0123456789ab.new`), '');
    writeFileSync(join(keys.folder, 'own.txt'), '');
    keys.dropUnfinished();
    expect(readdirSync(keys.folder)).toEqual(['own.txt']);
    keys.create(NOW + 1000);
    expect(readdirSync(join(keys.folder, 'storage', 'jobs'))).toHaveLength(1);
  });

  it('are never those of a cluster', () => {
    keys.create(NOW);
    const before = filesIn(keys.folder);
    expect(() => {
      keys.dropUnfinished();
    }).toThrow('nothing was changed');
    expect(filesIn(keys.folder)).toEqual(before);
  });
});

describe('a storage key', () => {
  it('is found by its id; the newest whose time has come seals', () => {
    keys.create(NOW);
    let now = NOW;
    const both = new StorageFolder(join(keys.folder, 'storage', 'jobs'), () => now);
    const first = both.newest;
    const later = both.add(NOW + 60_000);
    expect(both.newest).toBe(first);
    now += 60_000;
    expect(both.newest.id).toBe(later);
    expect(both.byId(first.id)).toEqual(first);
    expect(both.byId('other')).toBeUndefined();
  });

  it('that came after the start is found when a value names it; one that was deleted is wiped', () => {
    keys.create(NOW);
    const [reader, operator] = [keys.storageKeys('jobs'), keys.storageKeys('jobs')];
    const id = operator.add(NOW + 1000);
    const found = reader.byId(id);
    expect(found?.key).toEqual(operator.byId(id)?.key);
    operator.remove(id);
    reader.reload();
    expect(reader.byId(id)).toBeUndefined();
    expect(found?.key).toEqual(new Uint8Array(32));
  });

  it('of one class is not that of another', () => {
    keys.create(NOW);
    expect(keys.storageKeys('jobs').newest.key).not.toEqual(keys.storageKeys('roster').newest.key);
  });

  it('that is missing is named by its folder', () => {
    keys.create(NOW);
    rmSync(join(keys.folder, 'storage', 'jobs'), { recursive: true });
    expect(() => keys.storageKeys('jobs')).toThrow(KeyfileCorrupt);
    expect(() => keys.storageKeys('jobs')).toThrow(join('storage', 'jobs'));
  });
});

/** What a service meets: the damaged file, and who reads it. */
const DAMAGES: readonly (readonly [string, string, (keys: MasterKeys) => unknown])[] = [
  ['a role’s key', 'roles.d/acl.key', (keys) => keys.roleKey('acl')],
  ['the roles file', 'roles', (keys) => keys.chain()],
  ['the roles file', 'roles', (keys) => keys.roles()],
  ['the first account’s public half', 'first-account.pub', (keys) => keys.firstAccount()],
];

describe.each(DAMAGES)('%s that is damaged (%s)', (_about, file, read) => {
  it.each([
    ['empty', Buffer.alloc(0)],
    ['no encoding', Buffer.from('\xc1\xff')],
    ['another shape', Buffer.from(encode([1, 2]))],
    ['something else', Buffer.from('hello')],
  ])('is named by its file and left as it is: %s', (_how, bytes) => {
    keys.create(NOW);
    const path = join(keys.folder, file);
    chmodSync(path, 0o600);
    writeFileSync(path, bytes);
    expect(() => read(keys)).toThrow(KeyfileCorrupt);
    expect(() => read(keys)).toThrow(path);
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe('a role’s key', () => {
  it('that is missing is named, and not made', () => {
    keys.create(NOW);
    rmSync(join(keys.folder, 'roles.d', 'acl.key'));
    const path = join(keys.folder, 'roles.d', 'acl.key');
    expect(() => keys.roleKey('acl')).toThrow(new KeyfileCorrupt(path, 'exist'));
    expect(readdirSync(join(keys.folder, 'roles.d'))).not.toContain('acl.key');
  });

  it('is of the role that it is asked for', () => {
    keys.create(NOW);
    expect(keys.roleKey('acl').publicKey).not.toEqual(keys.roleKey('gateway').publicKey);
  });
});

it('the key of names that is not there is said to be missing, not damaged', () => {
  keys.create(NOW);
  rmSync(join(keys.folder, 'names.key'));
  expect(() => keys.nameKey()).toThrow(new KeyfileCorrupt(join(keys.folder, 'names.key'), 'exist'));
});

it('a roles file that is not there is said to be missing, not damaged', () => {
  expect(() => keys.roles()).toThrow(`key file ${keys.rolesPath} does not exist; restore it from a backup`);
});

it('a roles file that another root signed is refused', () => {
  keys.create(NOW);
  const other = new MasterKeys(join(folder, 'other'));
  other.create(NOW);
  const [firstRoot] = keys.chain();
  const [, documents] = other.chain();
  const wire = [firstRoot, documents.map(({ bytes, signature }) => [bytes, signature])];
  writeFileSync(join(keys.folder, 'roles'), encode(wire));
  expect(() => keys.roles()).toThrow(KeyfileCorrupt);
});
