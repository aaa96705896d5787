/** Rules of what `up` writes for its broker and its minions. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMinionConfig } from '@natrium/config';
import { runInit } from '../init/init.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { prepareFolders, writeMinion } from './folders.js';
import { takeGivenFiles } from './given-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-up-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('a minion is of the cluster that the master file names', async () => {
  const masterConfig = join(folder, 'given');
  writeFileSync(masterConfig, 'cluster: prod\n');
  const options = { state: join(folder, 'state'), minions: ['web1'], replicas: {}, masterConfig };
  const folders = await prepareFolders(options);
  takeGivenFiles(masterConfig, folders.master);
  expect(await runInit({ configDir: folders.master }, new ScriptedIo())).toBe(0);
  writeMinion(folders, { id: 'web1', cluster: 'prod' }, options);
  const loaded = loadMinionConfig(folders.minion('web1'));
  expect(loaded.ok ? loaded.value.config : loaded.error).toMatchObject({ id: 'web1', cluster: 'prod' });
  const text = readFileSync(join(folders.minion('web1'), 'minion'), 'utf8');
  expect(text).toMatch(/^# Written by natriumctl up at each start; your own keys belong into minion\.d\/\*\.conf/);
});
