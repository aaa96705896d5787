/** What `natriumctl roles` says of how long a cluster can go on. What it changes: libs/keystore and tests/keys. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SigningKey, signRoles, sodiumReady } from '@natrium/envelope';
import { MasterKeys, readKeyFile, writeRolesFile } from '@natrium/keystore';
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

async function shown() {
  const io = new ScriptedIo();
  const exit = await runRoles({ configDir: dir, word: 'show', role: undefined, root: undefined }, io);
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
