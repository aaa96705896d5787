/** Rules of the settings that are shown: the wheel's are those of the files now, as Salt's are, and runners' those of the start. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig } from '@natrium/config';
import { builtinRunners, builtinWheel, type RunnerContext, runnerRegistry, wheelRegistry } from '@natrium/runners';
import { runnerHost } from './runner-host.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-host-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (text: string) => {
  writeFileSync(join(folder, 'master'), text);
};

it('a setting that changes is shown by config.values at once, without a restart', async () => {
  write('nodegroups: {web: "web*"}\npublisher_acl: {fred: [test.ping]}\n');
  const loaded = loadMasterConfig(folder);
  if (!loaded.ok) throw new Error('the files cannot be used');
  const host = runnerHost(loaded.value);
  const context = { host, signal: new AbortController().signal } as unknown as RunnerContext;
  const values = async () => (await wheelRegistry(builtinWheel).execute('config.values', [], context)).ret;
  const started = async () => (await runnerRegistry(builtinRunners).execute('config.get', ['nodegroups'], context)).ret;
  expect(await values()).toMatchObject({ nodegroups: { web: 'web*' } });
  write('nodegroups: {db: "db*"}\npublisher_acl: {fred: [test.ping]}\nsaltgui_hide_jobs: [test.ping]\n');
  expect(await values()).toMatchObject({ nodegroups: { db: 'db*' }, saltgui_hide_jobs: ['test.ping'] });
  expect(await values()).not.toHaveProperty('publisher_acl');
  expect(await started()).toEqual({ web: 'web*' });
  write('nodegroups: [\n');
  expect(await values()).toMatchObject({ nodegroups: { db: 'db*' } });
});
