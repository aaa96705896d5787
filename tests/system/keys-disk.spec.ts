/** The operator's changes of keys on a disk that is full: the file that cannot be written is named, and nothing is changed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { runInit } from '../../apps/cli/src/init/init.js';
import { runKeysRotate } from '../../apps/cli/src/keys/run-keys.js';
import { runRoles } from '../../apps/cli/src/keys/run-roles.js';
import { ScriptedIo } from '../../apps/cli/src/testing/scripted-io.js';
import { SmallDisk } from './small-disk.js';

let dir: string;
let disk: SmallDisk;
let broker: Broker;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
  dir = mkdtempSync(join(tmpdir(), 'nt-keys-disk-'));
  mkdirSync(join(dir, 'pki'));
  disk = SmallDisk.mount(join(dir, 'pki'));
});
afterAll(async () => {
  disk.free();
  disk.unmount();
  rmSync(dir, { recursive: true });
  await broker.stop();
});

it('natriumctl roles renew and keys rotate say which', async () => {
  writeFileSync(join(dir, 'master'), `nats: ${broker.url}\nbroker_auth: none\n`);
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  disk.fill();
  const full = 'cannot be written (ENOSPC: no space left on device, write): make room on that disk\n';
  const [renewing, rotating] = [new ScriptedIo(), new ScriptedIo()];
  expect(await runRoles({ configDir: dir, word: 'renew', role: undefined, root: undefined }, renewing)).toBe(1);
  expect(renewing.stderr).toBe(`${keys.rolesPath} ${full}`);
  expect(await runKeysRotate({ configDir: dir, delayMs: 3_600_000 }, rotating)).toBe(1);
  expect(rotating.stderr).toMatch(new RegExp(`^${keys.folder}/storage/\\w+/\\d{14}\\.key cannot be written \\(ENOSPC`));
  expect(keys.roles().document.serial).toBe(1);
});

it('natriumctl init says which, and goes on when there is room', async () => {
  const configDir = join(dir, 'pki', 'another');
  const [full, roomy] = [new ScriptedIo(), new ScriptedIo()];
  disk.fill();
  expect(await runInit({ configDir }, full)).toBe(1);
  const why = 'cannot be written (ENOSPC: no space left on device, write): make room on that disk';
  expect(full.stderr).toBe(`natriumctl: error: ${join(configDir, 'master')} ${why}; then run this again\n`);
  disk.free();
  expect(await runInit({ configDir }, roomy)).toBe(0);
});
