/** Rules of the master file that `up` is given, and of the files that count with it. */
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadMasterConfig, problemSentence } from '@natrium/config';
import { prepareFolders } from './folders.js';
import { type GivenFiles, pathsLeftBehind, takeGivenFiles } from './given-files.js';

let [folder, given, master, file, old] = ['', '', '', '', ''];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-given-'));
  given = join(folder, 'salt', 'master');
  mkdirSync(dirname(given));
  ({ master } = await prepareFolders({ state: join(folder, 'state'), minions: [], replicas: {} }));
  [file, old] = [join(master, 'master'), join(master, 'master.old')];
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function taken(path = given): GivenFiles {
  const files = takeGivenFiles(path, master);
  if (!files.ok) throw new Error(files.error[0]?.reason);
  return files.value;
}

it('a master file that somebody may have edited is kept where another takes its place, and nothing else is', async () => {
  const take = (text: string) => (writeFileSync(given, text), taken().kept);
  expect([take('user: a\n'), take('user: a\n')]).toEqual([[], []]);
  expect(taken(file).kept).toEqual([]);
  writeFileSync(file, 'user: edited\n');
  expect(take('user: b\n')).toEqual([['master file', old]]);
  expect([file, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['user: b\n', 'user: edited\n']);
});

describe('a master file that is taken', () => {
  const take = (text: string, mode = 0o640) => {
    rmSync(given, { force: true });
    writeFileSync(given, text, { mode });
    return taken();
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
    take('worker_treads: 3\n').undo();
    expect([file, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['user: b\n', 'user: a\n']);
  });

  it('may be the one that was kept: the two change places', () => {
    for (const text of ['user: a\n', 'user: b\n']) take(text);
    expect(taken(old).kept).toEqual([['master file', old]]);
    expect([file, old].map((path) => readFileSync(path, 'utf8'))).toEqual(['user: a\n', 'user: b\n']);
  });

  it('leaves nothing where it cannot be used and none was kept before', () => {
    take('user: a\n');
    take('worker_treads: 3\n').undo();
    expect([readFileSync(file, 'utf8'), existsSync(old)]).toEqual(['user: a\n', false]);
  });
});

describe('the files that count with a master file', () => {
  const own = () => join(master, 'master.d', 'own.conf');
  const peers = () => join(master, 'master.d', 'peer.conf');
  const write = (name: string, text: string) => {
    const path = join(dirname(given), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  beforeEach(() => {
    writeFileSync(own(), 'user: joe\n');
    const whole = write('whole/a.conf', 'nodegroups: {a: "web*"}\n');
    write('master', `publisher_acl: {joe: [test.*]}\ninclude: [more/*.conf, ${whole}]\n`);
    write('master.d/peer.conf', 'peer: {web1: [test.*]}\n');
    write('more/a.conf', 'publisher_acl_blacklist: {users: [root]}\ninclude: deep/a.conf\n');
    write('more/deep/a.conf', 'peer_run: {web1: [manage.up]}\n');
    write('master.d/peer.off', 'peer: {web1: [cmd.run]}\n');
  });
  const loaded = () => {
    const read = loadMasterConfig(master);
    return read.ok ? read.value.config : read.error;
  };
  const policy = {
    user: 'joe',
    publisher_acl: { joe: ['test.*'] },
    publisher_acl_blacklist: { users: ['root'] },
    peer: { web1: ['test.*'] },
    peer_run: { web1: ['manage.up'] },
    nodegroups: { a: 'web*' },
  };

  it('count with its copy as well, those of the includes of others too, beside what the cluster’s own folder says', () => {
    expect(taken().kept).toEqual([]);
    expect(loaded()).toMatchObject(policy);
    expect(existsSync(join(master, 'master.d', 'peer.off'))).toBe(false);
  });

  it('do not count any more when it has them no more: the copy of last time is kept where nothing reads it', () => {
    taken();
    rmSync(join(dirname(given), 'master.d'), { recursive: true });
    write('more/a.conf', 'publisher_acl_blacklist: {users: [joe]}\n');
    const [folderOfOld, more] = [join(folder, 'state', 'old'), join('more', 'a.conf')];
    expect(taken().kept).toEqual([
      ['master.d/peer.conf', join(folderOfOld, 'master.d', 'peer.conf')],
      ['more/deep/a.conf', join(folderOfOld, 'more', 'deep', 'a.conf')],
      [more, join(folderOfOld, more)],
    ]);
    const now = { ...policy, publisher_acl_blacklist: { users: ['joe'] }, peer: {}, peer_run: {} };
    expect(loaded()).toMatchObject(now);
    expect([existsSync(peers()), existsSync(own())]).toEqual([false, true]);
    expect(taken().kept).toEqual([]);
  });

  it('leave nothing where they cannot be used: those of last time are back', () => {
    taken();
    write('master.d/peer.conf', 'worker_treads: 3\n');
    rmSync(join(dirname(given), 'more'), { recursive: true });
    taken().undo();
    expect(loaded()).toMatchObject(policy);
    expect(existsSync(join(folder, 'state', 'old', 'more', 'a.conf'))).toBe(false);
    rmSync(join(dirname(given), 'master.d'), { recursive: true });
    expect(taken().kept.map(([name]) => name)).toContain('master.d/peer.conf');
  });

  it('and are named as one that the cluster has for itself are refused, and nothing is copied', () => {
    const up = write('master.d/up.conf', 'nats: nats://10.0.0.1\n');
    const place = join(master, 'master.d', 'up.conf');
    const reason = `its copy would stand in the place of ${place}`;
    expect(takeGivenFiles(given, master)).toEqual({
      ok: false,
      error: [{ file: up, path: [], reason, mend: 'give it another name' }],
    });
    expect(existsSync(peers())).toBe(false);
  });
});

describe('what a master file names by a relative path', () => {
  const beside = (name: string) => {
    const path = join(dirname(given), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    return path;
  };
  const problems = (text: string) => {
    writeFileSync(given, text);
    taken();
    const loaded = loadMasterConfig(master);
    return loaded.ok ? pathsLeftBehind(given, loaded.value, master).map(problemSentence) : loaded.error;
  };
  const sentence = (key: string, name: string) =>
    `${key}: ${join(dirname(given), name)} would not count: ${name} starts at ${master} with the copy of ${given} in it. Mend: have ${key} name it by its whole path.`;

  it('is a problem where it is there and its copy would not find it, also where only the default names it', () => {
    beside('pillar/top.sls');
    beside('autoreject.conf');
    expect(problems('pillar_roots: {base: [pillar, none]}\n')).toEqual([
      expect.stringContaining(sentence('pillar_roots', 'pillar')),
      expect.stringContaining(sentence('autoreject_file', 'autoreject.conf')),
    ]);
  });

  it('is none where the cluster’s own folder has it, nor where its whole path is named', () => {
    mkdirSync(join(master, 'pillar'));
    const whole = dirname(beside('runners/mine.mjs'));
    beside('pillar/top.sls');
    expect(problems(`pillar_roots: {base: [pillar]}\nrunner_dirs: ${whole}\n`)).toEqual([]);
  });
});
