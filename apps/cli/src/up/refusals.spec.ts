/** Rules of what `up` does not begin: it says why, and nothing is started or made that a next try would stumble over. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '@natrium/keystore';
import { UsageError } from '../common/options.js';
import type { UpOptions } from '../ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ONE_UP, runUp } from './up.js';

const program = process.env['NATRIUM_NATS_SERVER'];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-up-'));
});
afterEach(() => {
  if (program === undefined) delete process.env['NATRIUM_NATS_SERVER'];
  else process.env['NATRIUM_NATS_SERVER'] = program;
  rmSync(folder, { recursive: true });
});

function optionsWith(own: Partial<UpOptions>): UpOptions {
  return { state: join(folder, 'state'), minions: [], replicas: {}, ...own };
}

it.each<[string, Partial<UpOptions>, string]>([
  ['a service that is none', { replicas: { 'acl-servce': 2 } }, 'option --replicas: there is no service acl-servce; there are acl-service, master-gateway, runner-service, event-sink'],
  ['a minion whose name is none', { minions: ['a/b'] }, 'option --minions: "a/b" is no name of a minion'],
  ['a master file that is not there', { masterConfig: '/nowhere/master' }, 'option --master-config: there is no file /nowhere/master'],
  ['a master file that is the folder of one', { masterConfig: '/etc' }, 'option --master-config: /etc is a folder: name the file in it'],
])('%s is a word that makes no sense, and nothing is made', async (_, own, sentence) => {
  const io = new ScriptedIo();
  await expect(runUp(optionsWith(own), io)).rejects.toThrow(new UsageError(sentence));
  expect(existsSync(join(folder, 'state'))).toBe(false);
}); // prettier-ignore

it.each([
  ['a file', () => join(folder, 'file'), 'is a file: name a folder'],
  ['below a file', () => join(folder, 'file', 'state'), 'file is no folder'],
  ['where none can be made', () => '/proc/state', 'nothing can be made in /proc'],
])('a state folder that is %s makes no sense', async (_, state, sentence) => {
  writeFileSync(join(folder, 'file'), '');
  const begun = runUp(optionsWith({ state: state() }), new ScriptedIo());
  await expect(begun).rejects.toThrow(UsageError);
  await expect(begun).rejects.toThrow(/^option --state: /);
  await expect(begun).rejects.toThrow(sentence);
});

it('a master file with problems is told of by its own name before anything is started: no cluster is founded, and the one of last time stays', async () => {
  const masterConfig = join(folder, 'salt-master');
  writeFileSync(masterConfig, 'peer: {}\nworker_treads: 3\n');
  const io = new ScriptedIo();
  const master = join(folder, 'state', 'master');
  for (const before of ['', 'user: edited\n']) {
    mkdirSync(master, { recursive: true });
    writeFileSync(join(master, 'master'), before);
    expect(await runUp(optionsWith({ masterConfig }), io)).toBe(78);
    expect(readFileSync(join(master, 'master'), 'utf8')).toBe(before);
    expect(existsSync(join(master, 'master.old'))).toBe(false);
  }
  expect(io.stderr).toMatch(new RegExp(`^(${masterConfig}:2: worker_treads: .*\\n){2}$`));
  expect(existsSync(join(folder, 'state', 'master', 'pki'))).toBe(false);
});

it('a state folder that another has is left as it is', async () => {
  const state = join(folder, 'state');
  const lock = await lockFolder(state, ONE_UP);
  const before = readdirSync(state);
  const io = new ScriptedIo();
  expect(await runUp(optionsWith({}), io)).toBe(1);
  expect(io.stderr).toMatch(/^natriumctl: error: \S+\/state is in use by another natriumctl up \(process \d+\); .*\n$/);
  expect(readdirSync(state)).toEqual(before);
  lock.release();
});

it.each([
  ['default_include: conf.d/*.conf\n', 'given:1: default_include: ', 'natriumctl up says what nats is'],
  ['peer: {}\ninclude: OTHER\n', 'other:2: pki_dir: ', 'natriumctl up says what pki_dir is'],
  ['peer: {}\ninclude: CACHE\n', 'cache:1: cachedir: ', 'natriumctl up says what cachedir is'],
])('a master file with which the cluster would be another one than up starts is told of, and nothing is started: %j', async (text, place, said) => {
  const [given, other] = [join(folder, 'given'), join(folder, 'other')];
  writeFileSync(other, 'user: joe\npki_dir: /etc/salt/pki/master\n');
  writeFileSync(join(folder, 'cache'), 'cachedir: /var/cache/salt/master\n');
  writeFileSync(given, text.replace('OTHER', other).replace('CACHE', join(folder, 'cache')));
  const io = new ScriptedIo();
  expect(await runUp(optionsWith({ masterConfig: given }), io)).toBe(78);
  expect(io.stderr).toContain(join(folder, place));
  expect(io.stderr).toContain(`${said} itself, in ${join(folder, 'state', 'master', 'master.d', 'up.conf')}`);
  expect(existsSync(join(folder, 'state', 'master', 'pki'))).toBe(false);
}); // prettier-ignore

it('access lists and reactions that no service would start with are told of by the given file’s name, and nothing is started', async () => {
  const given = join(folder, 'given');
  writeFileSync(given, 'peer:\n  web1: test.*\nreactor:\n  - web/*: [/srv/reactor/start.sls]\n');
  const io = new ScriptedIo();
  expect(await runUp(optionsWith({ masterConfig: given }), io)).toBe(78);
  const [lists, reactions, ...rest] = io.stderr.split('\n');
  expect([lists, reactions]).toEqual([
    expect.stringContaining(`${given}:2: peer.web1: `),
    expect.stringContaining(`${given}:4: reactor.0.web/*.0: files of reactions are not read`),
  ]);
  expect([rest, existsSync(join(folder, 'state', 'master', 'pki'))]).toEqual([[''], false]);
});

it('a master file whose relative paths mean nothing where its copy is begins nothing, and is told of by its own name', async () => {
  const given = join(folder, 'given');
  writeFileSync(given, 'peer: {}\npillar_roots: {base: [pillar]}\n');
  mkdirSync(join(folder, 'pillar'));
  const io = new ScriptedIo();
  expect(await runUp(optionsWith({ masterConfig: given }), io)).toBe(78);
  expect(io.stderr).toContain(`${given}:2: pillar_roots: ${join(folder, 'pillar')} would not count: `);
  expect(existsSync(join(folder, 'state', 'master', 'pki'))).toBe(false);
});

it('a master file that includes what its copy would not find begins nothing: each such file is named, and how it would be found', async () => {
  const salt = join(folder, 'a', 'salt');
  const [given, denies] = [join(salt, 'master'), join(folder, 'a', 'acl.conf')];
  mkdirSync(salt, { recursive: true });
  writeFileSync(given, 'publisher_acl: {joe: [test.*]}\ninclude: ../acl.conf\n');
  writeFileSync(denies, 'publisher_acl_blacklist: {users: [joe]}\n');
  const master = join(folder, 'state', 'master');
  const begun = async () => {
    const io = new ScriptedIo();
    const code = await runUp(optionsWith({ masterConfig: given }), io);
    return [code, io.stderr] as const;
  };
  const lacks = `${denies}: it counts with ${given}, and would not with the copy of that file in ${master}. Mend: have include name it by its whole path.\n`;
  expect(await begun()).toEqual([78, lacks]);
  expect(existsSync(join(master, 'pki'))).toBe(false);
  writeFileSync(given, `publisher_acl: {joe: [test.*]}\ninclude: ${denies}\n`);
  process.env['NATRIUM_NATS_SERVER'] = '/nowhere/nats-server';
  const [code, said] = await begun();
  expect([code, said]).toEqual([1, expect.stringContaining('/nowhere/nats-server cannot be run')]);
}); // prettier-ignore

describe('a port that', () => {
  const taken = createServer();
  afterEach(() => {
    taken.close();
  });
  const listening = async (port: number) => {
    taken.listen(port, '127.0.0.1');
    // A port of root's is not to be had by others, which is the same to them.
    await once(taken, 'listening').catch(() => undefined);
    const address = taken.address();
    return address !== null && typeof address === 'object' ? address.port : port;
  };

  it.each([
    ['natsPort', '--nats-port', 0, 'taken'],
    ['httpPort', '--http-port', 0, 'taken'],
    ['natsPort', '--nats-port', 1013, 'taken, or for root only'],
  ] as const)(
    'is not to be had for %s is told of with its option %s, and nothing is made: %i, %s',
    async (key, option, wanted, how) => {
      const port = await listening(wanted);
      const io = new ScriptedIo();
      expect(await runUp(optionsWith({ [key]: port }), io)).toBe(1);
      expect(io.stderr).toBe(
        `natriumctl: error: port ${String(port)} is ${how}: name another with ${option}, or end what listens there\n`,
      );
      expect(existsSync(join(folder, 'state', 'master'))).toBe(false);
    },
  );
});
