/** What `natriumctl keys rotate` refuses, and what of one that was killed it takes away. What it changes: libs/bus and tests/keys. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { lockFolder, MasterKeys, STORAGE_CLASSES } from '@natrium/keystore';
import { type Broker, startBroker } from '@natrium/testing';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runKeysRotate } from './run-keys.js';

let dir: string;
let broker: Broker | undefined;
beforeAll(sodiumReady);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-keys-'));
  writeFileSync(join(dir, 'master'), 'broker_auth: jwt\n');
});
afterEach(async () => {
  await broker?.stop();
  broker = undefined;
  rmSync(dir, { recursive: true });
});

it('without the credentials of the keeper it says so, and makes no key that nothing would be sealed anew with', async () => {
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  const ids = () => STORAGE_CLASSES.map((name) => keys.storageKeys(name).ids);
  const [before, io] = [ids(), new ScriptedIo()];
  expect(await runKeysRotate({ configDir: dir, delayMs: 0 }, io)).toBe(1);
  expect(io.stderr).toBe(
    'broker_auth is jwt, and there are no credentials of the keeper; natriumctl init makes them\n',
  );
  expect(ids()).toEqual(before);
});

it('while another one is at work it makes no key, and says what to do', async () => {
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  const ids = () => STORAGE_CLASSES.map((name) => keys.storageKeys(name).ids);
  const [before, io] = [ids(), new ScriptedIo()];
  const lock = await lockFolder(keys.folder, { name: 'rotate', program: 'another', mend: 'wait' });
  expect(await runKeysRotate({ configDir: dir, delayMs: 0 }, io)).toBe(1);
  lock.release();
  expect(io.stderr).toMatch(/pki is in use by another natriumctl keys rotate \(process \d+\); do it again when/);
  expect(ids()).toEqual(before);
});

it('of a rotation that was killed it takes away what was half written, and what else is there stays', async () => {
  broker = await startBroker();
  writeFileSync(join(dir, 'master'), `nats: ${broker.url}\nbroker_auth: none\n`);
  const keys = new MasterKeys(join(dir, 'pki'));
  keys.create(Date.now());
  const folder = join(keys.folder, 'storage', 'jobs');
  const before = readdirSync(folder);
  for (const name of ['20261129200000.key.0123456789ab.new', 'of-an-operator.new', '.hidden'])
    writeFileSync(join(folder, name), 'aa');
  const io = new ScriptedIo();
  expect([await runKeysRotate({ configDir: dir, delayMs: 3_600_000 }, io), io.stderr]).toEqual([0, '']);
  const added = keys.storageKeys('jobs').ids.map((id) => `${id}.key`);
  expect(added).toEqual([...before, expect.any(String)]);
  expect(readdirSync(folder).sort()).toEqual([...added, '.hidden', 'of-an-operator.new'].sort());
});
