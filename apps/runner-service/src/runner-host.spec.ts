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

it.each(['file_roots: {base: [/srv/salt]}', 'gitfs_remotes: [https://git.example/states.git]'])(
  'a master whose file names files to serve is not told that there are none: %s',
  async (text) => {
    const listed = async (fun = 'fileserver.file_list') => {
      const loaded = loadMasterConfig(folder);
      if (!loaded.ok) throw new Error('the files cannot be used');
      const context = { host: runnerHost(loaded.value), signal: new AbortController().signal };
      return runnerRegistry(builtinRunners).execute(fun, [], context as unknown as RunnerContext);
    };
    write('file_recv: False\n');
    expect(await listed()).toMatchObject({ ret: [], success: true });
    write(`${text}\n`);
    expect(await listed('fileserver.update')).toMatchObject({ success: false });
    const { ret, success } = await listed();
    expect(success).toBe(false);
    expect(ret).toContain(
      `Natrium serves no files, also not those of ${text.split(':')[0] ?? ''} in the master's file`,
    );
  },
);

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
