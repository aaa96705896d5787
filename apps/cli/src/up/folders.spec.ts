/** Rules of what `up` writes for its broker and its minions. */
import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMinionConfig } from '@natrium/config';
import { runInit } from '../init/init.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { prepareFolders, takeMasterFile, writeMinion } from './folders.js';

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
  takeMasterFile(masterConfig, folders.master);
  expect(await runInit({ configDir: folders.master }, new ScriptedIo())).toBe(0);
  writeMinion(folders, { id: 'web1', cluster: 'prod' }, options);
  const loaded = loadMinionConfig(folders.minion('web1'));
  expect(loaded.ok ? loaded.value.config : loaded.error).toMatchObject({ id: 'web1', cluster: 'prod' });
  const text = readFileSync(join(folders.minion('web1'), 'minion'), 'utf8');
  expect(text).toMatch(/^# Written by natriumctl up at each start; your own keys belong into minion\.d\/\*\.conf/);
});

it('a master file that somebody may have edited is kept where another takes its place, and nothing else is', async () => {
  const given = join(folder, 'given');
  const { master } = await prepareFolders({ state: join(folder, 'state'), minions: [], replicas: {} });
  const [file, old] = [join(master, 'master'), join(master, 'master.old')];
  const take = (text: string) => (writeFileSync(given, text), takeMasterFile(given, master).kept);
  expect([take('user: a\n'), take('user: a\n')]).toEqual([undefined, undefined]);
  expect(takeMasterFile(file, master).kept).toBeUndefined();
  writeFileSync(file, 'user: edited\n');
  expect(take('user: b\n')).toBe(old);
  expect([file, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['user: b\n', 'user: edited\n']);
});

describe('a master file that is taken', () => {
  let [given, master, file, old] = ['', '', '', ''];
  beforeEach(async () => {
    given = join(folder, 'given');
    ({ master } = await prepareFolders({ state: join(folder, 'state'), minions: [], replicas: {} }));
    [file, old] = [join(master, 'master'), join(master, 'master.old')];
  });
  const take = (text: string, mode = 0o640) => {
    rmSync(given, { force: true });
    writeFileSync(given, text, { mode });
    return takeMasterFile(given, master);
  };

  it('is there whole or not at all: the one before is not written into', () => {
    const before = readFileSync(file, 'utf8');
    linkSync(file, join(folder, 'as it was'));
    take('user: a\n');
    expect(readFileSync(join(folder, 'as it was'), 'utf8')).toBe(before);
    expect(existsSync(old)).toBe(false);
  });

  it('is its owner’s alone where the given one is, and so is the one that is kept of it', () => {
    take('sharedsecret: a\n', 0o600);
    take('user: b\n', 0o644);
    expect([file, old].map((path) => statSync(path).mode & 0o777)).toEqual([0o640, 0o600]);
  });

  it('takes nothing of the one that was kept before where it cannot be used', () => {
    for (const text of ['user: a\n', 'user: b\n']) take(text);
    take('peer: [\n').undo();
    expect([file, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['user: b\n', 'user: a\n']);
  });

  it('may be the one that was kept: the two change places', () => {
    for (const text of ['user: a\n', 'user: b\n']) take(text);
    expect(takeMasterFile(old, master).kept).toBe(old);
    expect([file, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['user: a\n', 'user: b\n']);
  });

  it('leaves nothing where it cannot be used and none was kept before', () => {
    take('user: a\n');
    take('peer: [\n').undo();
    expect([readFileSync(file, 'utf8'), existsSync(old)]).toEqual(['user: a\n', false]);
  });
});
