/** What `natriumctl roles` says of how long a cluster can go on. What it changes: libs/keystore and tests/keys. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SigningKey, signRoles, sodiumReady } from '@natrium/envelope';
import { lockFolder, MasterKeys, readKeyFile, writeRolesFile } from '@natrium/keystore';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runRoles } from './run-roles.js';

let dir: string;
beforeAll(sodiumReady);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-roles-'));
  writeFileSync(join(dir, 'master'), '');
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const shown = () => roles('show');

async function roles(word: string, role?: string) {
  const io = new ScriptedIo();
  const exit = await runRoles({ configDir: dir, word, role, root: undefined }, io);
  return { exit, err: io.stderr };
}

it('says in time that only so many changes are left', async () => {
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  const root = SigningKey.fromSeed(readKeyFile(join(keys.folder, 'root.key')) ?? new Uint8Array());
  const { cluster, document } = keys.roles();
  const documents = Array.from({ length: 924 }, (_, n) => signRoles(root, cluster, { ...document, serial: n + 1 }));
  writeRolesFile(keys.rolesPath, [root.publicKey, documents.slice(0, 923)]);
  expect(await shown()).toEqual({ exit: 0, err: '' });
  writeRolesFile(keys.rolesPath, [root.publicKey, documents]);
  expect(await shown()).toEqual({
    exit: 0,
    err: 'natriumctl: the roles document can be changed 100 times more; then a new cluster has to be founded\n',
  });
});

it('changes nothing while another changes the document; it can be shown', async () => {
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  const lock = await lockFolder(keys.folder, { name: 'roles', program: 'natriumctl roles', mend: '' });
  const said = `${keys.folder} is in use by another natriumctl roles (process ${String(process.pid)}); `;
  expect(await roles('new-key', 'gateway')).toEqual({
    exit: 1,
    err: `${said}do it again when that one has ended; nothing was changed\n`,
  });
  expect([keys.roles().document.serial, (await shown()).exit]).toEqual([1, 0]);
  lock.release();
  expect((await roles('new-key', 'gateway')).exit).toBe(0);
  expect(keys.roles().document.serial).toBe(2);
});

it('of a change that was killed it takes away what was half written', async () => {
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  const drafts = ['roles', 'root.key', 'root.key.next', 'roles.d/acl.key'].map((name) => join(keys.folder, `${name}.0123456789ab.new`));
  const others = ['root.key.new', 'account.key.0123456789ab.new'].map((name) => join(keys.folder, name));
  for (const path of [...drafts, ...others]) writeFileSync(path, 'aa');
  const left = () => [...drafts, ...others].filter((path) => existsSync(path));
  await shown();
  expect(left()).toEqual([...drafts, ...others]);
  expect((await roles('new-key', 'gateway')).exit).toBe(0);
  expect(left()).toEqual(others);
}); // prettier-ignore

it('a damaged key, or no root key, is 78 as with every command; what only cannot be done now is 1', async () => {
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  expect(await roles('retire', 'gateway')).toMatchObject({ exit: 1, err: expect.stringContaining('one key only') as string });
  rmSync(join(keys.folder, 'root.key'));
  expect(await roles('renew')).toMatchObject({ exit: 78, err: expect.stringContaining('name it with --root') as string });
  writeFileSync(keys.rolesPath, 'junk');
  expect(await shown()).toMatchObject({ exit: 78, err: expect.stringContaining(keys.rolesPath) as string });
}); // prettier-ignore
