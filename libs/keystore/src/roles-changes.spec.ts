/** Rules of changing the roles document: every chain continues the one before, and only the root in force adds to it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { equalBytes, fingerprint, SigningKey, signRoles, sodiumReady, verifyRolesChain } from '@natrium/envelope';
import { MasterKeys } from './master-keys.js';
import { RolesChanges } from './roles-changes.js';
import { ROLES_VALID_MS } from './roles-file.js';
import { newestRoles, readRolesFile, writeRolesFile } from './roles-file.js';
import { readKeyFile } from './key-file.js';

const NOW = 1_795_000_000_000;
let folder: string;
let keys: MasterKeys;
let changes: RolesChanges;

beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-roles-'));
  keys = new MasterKeys(join(folder, 'pki'));
  keys.create(NOW);
  changes = new RolesChanges(keys);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const document = () => keys.roles().document;

it('renews the document under the next serial, for two more years', () => {
  changes.renew(NOW + 5);
  expect(document()).toMatchObject({ serial: 2, notAfter: NOW + 5 + ROLES_VALID_MS });
});

it('with a clock by which the next document would have ended before this one was made, changes nothing', () => {
  const before = readdirSync(keys.folder);
  const clock = NOW - ROLES_VALID_MS;
  const said = `this host's clock says 2024-11-18, and the document in force was made on 2026-11-18: set the clock; nothing was changed`;
  for (const change of [
    () => changes.renew(clock),
    () => changes.newRoot(clock),
    () => changes.newKey('acl', clock),
    () => changes.renew(0),
  ])
    expect(change).toThrow(/^this host's clock says .* was made on 2026-11-18: set the clock; nothing was changed$/);
  expect(() => changes.renew(clock)).toThrow(said);
  expect([document().serial, readdirSync(keys.folder)]).toEqual([1, before]);
  expect(changes.renew(clock + 1).serial).toBe(2);
});

it('gives a role a new key beside the old one, until that is retired', () => {
  const [old] = document().roles.gateway;
  changes.newKey('gateway', NOW);
  const fresh = keys.roleKey('gateway').publicKey;
  expect(document().roles.gateway).toEqual([fresh, old]);
  changes.retire('gateway', NOW);
  expect(document().roles.gateway).toEqual([fresh]);
  expect(document().serial).toBe(3);
  expect(() => changes.retire('gateway', NOW)).toThrow('one key only');
  expect(document().serial).toBe(3);
});

it('hands over to a new root, under the pin of the first; the old one signs no more', () => {
  const [firstRoot] = keys.chain();
  const old = join(folder, 'old-root.key');
  changes.newRoot(NOW);
  changes.renew(NOW);
  const roles = verifyRolesChain(keys.chain(), { fingerprint: fingerprint(firstRoot) }, 3);
  expect(roles.ok && !equalBytes(roles.value.root, firstRoot)).toBe(true);
  renameSync(join(keys.folder, 'root.key.until-2'), old);
  expect(() => new RolesChanges(keys, old).renew(NOW)).toThrow('the root in force');
});

it('hands over again after it was interrupted behind the document, and loses no root', () => {
  const inTheWay = join(keys.folder, 'root.key.until-2');
  mkdirSync(inTheWay);
  expect(() => changes.newRoot(NOW)).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(document().serial).toBe(2);
  rmdirSync(inTheWay);
  expect(changes.newRoot(NOW).serial).toBe(3);
  expect(changes.renew(NOW).serial).toBe(4);
  const kept = readdirSync(keys.folder).filter((name) => name.startsWith('root.key'));
  expect(kept.toSorted()).toEqual(['root.key', 'root.key.until-2', 'root.key.until-3']);
});

it('needs the root: without it nothing is written', () => {
  renameSync(join(keys.folder, 'root.key'), join(folder, 'offline.key'));
  const mend = 'put the key of the root in force there, or name it with --root';
  expect(() => changes.renew(NOW)).toThrow(`${join(keys.folder, 'root.key')} does not exist; ${mend}`);
  const another = keys.rolePath('acl');
  const said = `${another} does not hold the key of the root in force; ${mend}`;
  expect(() => new RolesChanges(keys, another).renew(NOW)).toThrow(said);
  expect(document().serial).toBe(1);
  expect(new RolesChanges(keys, join(folder, 'offline.key')).renew(NOW).serial).toBe(2);
});

it('writes the last document that a reader takes, and none after it', () => {
  const root = SigningKey.fromSeed(readKeyFile(join(keys.folder, 'root.key')) ?? new Uint8Array());
  const { cluster, document: first } = keys.roles();
  const documents = Array.from({ length: 1023 }, (_, n) => signRoles(root, cluster, { ...first, serial: n + 1 }));
  writeRolesFile(keys.rolesPath, [root.publicKey, documents]);
  expect(changes.left).toBe(1);
  expect(changes.renew(NOW).serial).toBe(1024);
  const before = readdirSync(keys.folder);
  for (const change of [changes.renew, changes.newRoot, () => changes.newKey('acl', NOW)])
    expect(() => change.call(changes, NOW)).toThrow('found a new cluster');
  expect([document().serial, changes.left, readdirSync(keys.folder)]).toEqual([1024, 0, before]);
});

it('goes by the highest that was seen, and by none of another cluster', () => {
  const seen = join(folder, 'seen');
  const first = keys.chain();
  expect(existsSync(seen)).toBe(false);
  expect(newestRoles(first, seen)).toBe(first);
  changes.renew(NOW);
  writeRolesFile(seen, keys.chain());
  expect(newestRoles(first, seen)).toEqual(readRolesFile(seen));
  const other = new MasterKeys(join(folder, 'other'));
  other.create(NOW);
  new RolesChanges(other).renew(NOW);
  writeRolesFile(seen, other.chain());
  expect(newestRoles(first, seen)).toBe(first);
});
