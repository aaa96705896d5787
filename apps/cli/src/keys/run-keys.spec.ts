/** What `natriumctl keys rotate` refuses. What it changes: libs/bus and tests/keys. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { lockFolder, MasterKeys, STORAGE_CLASSES } from '@natrium/keystore';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runKeysRotate } from './run-keys.js';

let dir: string;
beforeAll(sodiumReady);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-keys-'));
  writeFileSync(join(dir, 'master'), 'broker_auth: jwt\n');
});
afterEach(() => {
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
