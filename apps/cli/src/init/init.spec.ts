/** What `natriumctl init` says where it cannot found a cluster. What it makes: tests/broker, tests/cluster. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '@natrium/keystore';
import { runNatriumctl } from '../natriumctl/run-ctl.js';
import type { CtlPorts } from '../natriumctl/ctl-ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runFingerprint } from './fingerprint.js';
import { runInit } from './init.js';

const NOBODY = 65_534;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-init-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

describe('natriumctl init', () => {
  it('writes nothing for a name that no account can have, so that the next try is not in its way', async () => {
    const { exit, err } = await ctl('init', '--user', 'a b');
    expect({ exit, err }).toMatchObject({ exit: 2, err: expect.stringContaining("option --user: 'a b'") as string });
    expect(existsSync(join(dir, 'master'))).toBe(false);
  });

  it('takes a name that YAML would read as something else', async () => {
    expect((await ctl('init', '--user', 'yes')).exit).toBe(0);
    expect(readFileSync(join(dir, 'master'), 'utf8')).toContain('user: "yes"\n');
  });

  it('says what the host refuses, and that a configuration cannot be used: 78', async () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    for (const [path, why] of [
      [file, `${file} is a file: name a folder`],
      [join(file, 'sub'), `${file} is no folder`],
    ] as const)
      expect(await ctl('init', '-c', path)).toEqual({ exit: 78, out: '', err: `natriumctl: error: ${why}\n` });
    writeFileSync(join(dir, 'master'), 'peer: [\n');
    expect((await ctl('init')).exit).toBe(78);
  });

  it('an account that may not write there is told so, and what to do', async () => {
    const folder = join(dir, 'theirs');
    mkdirSync(folder, { mode: 0o555 });
    // Interrupted before it had any key.
    const begun = join(dir, 'begun');
    mkdirSync(join(begun, 'pki'), { recursive: true });
    writeFileSync(join(begun, 'master'), 'broker_auth: jwt\n');
    chmodSync(join(begun, 'pki'), 0o555);
    chmodSync(dir, 0o755);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      for (const [path, shut] of [
        [folder, folder],
        [join(folder, 'sub'), folder],
        [begun, join(begun, 'pki')],
      ] as const)
        expect(await ctl('init', '-c', path)).toEqual({
          exit: 1,
          out: '',
          err: `natriumctl: error: this account may not write to ${shut}: run this as an account that may, or name another folder\n`,
        });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('leaves a master file alone that is a link whose file is away', async () => {
    symlinkSync(join(dir, 'away'), join(dir, 'master'));
    const err = expect.stringContaining('this is a link that leads nowhere') as string;
    expect(await ctl('init')).toMatchObject({ exit: 78, out: '', err });
    expect(readlinkSync(join(dir, 'master'))).toBe(join(dir, 'away'));
  });
});

describe('natriumctl init --broker-tls', () => {
  // What it makes: tests/system/broker-certificate.spec.ts.
  it.each(['', ',', 'a b', 'localhost,-x'])('makes nothing for hosts that are none: %j', async (hosts) => {
    const { exit, out, err } = await ctl('init', '--broker-tls', hosts);
    expect({ exit, out, err }).toEqual({ exit: 2, out: '', err: expect.stringContaining('--broker-tls') as string });
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('natriumctl init beside a master file of your own', () => {
  const file = () => join(dir, 'master');

  it('says what to add where the broker would ask nobody, and founds the cluster', async () => {
    writeFileSync(file(), 'log_level: info\n');
    const said = 'the broker asks nobody who they are: set "broker_auth: jwt" in';
    expect(await ctl('init')).toMatchObject({ exit: 0, err: `natriumctl: warning: ${said} ${file()}\n` });
    expect(readFileSync(file(), 'utf8')).toBe('log_level: info\n');
    writeFileSync(file(), 'broker_auth: jwt\n');
    expect(await ctl('init')).toMatchObject({ exit: 0, err: '' });
  });

  it.each([
    ['log_level: info\n', ['--broker-auth', 'jwt'], 'broker_auth is none, not jwt: set "broker_auth: jwt" in'],
    ['broker_auth: jwt\n', ['--broker-auth', 'none'], 'broker_auth is jwt, not none: set "broker_auth: none" in'],
    ['broker_auth: jwt\nuser: salt\n', ['--user', 'admin'], 'user is "salt", not "admin": change it in'],
  ])('makes nothing where it says else than was asked: %j, %j', async (text, words, said) => {
    writeFileSync(file(), text);
    const err = `natriumctl: error: ${said} ${file()}; nothing was changed\n`;
    expect(await ctl('init', ...words)).toEqual({ exit: 78, out: '', err });
    expect(readdirSync(dir)).toEqual(['master']);
    const [, word = ''] = words;
    writeFileSync(file(), words[0] === '--user' ? `broker_auth: jwt\nuser: ${word}\n` : `broker_auth: ${word}\n`);
    expect(await ctl('init', ...words)).toMatchObject({ exit: 0, err: '' });
  });
});

it('natriumctl init puts no keys among those of Salt’s master', async () => {
  const pki = join(dir, 'salt-pki');
  writeFileSync(join(dir, 'master'), `broker_auth: jwt\npki_dir: ${pki}\n`);
  mkdirSync(pki);
  writeFileSync(join(pki, 'master.pem'), '');
  const mend = `take pki_dir out of ${join(dir, 'master')}, or name another folder there; nothing was changed`;
  expect(await ctl('init')).toMatchObject({ exit: 78, out: '', err: expect.stringContaining(mend) as string });
  expect(readdirSync(pki)).toEqual(['master.pem']);
  rmSync(join(pki, 'master.pem'));
  expect(await ctl('init')).toMatchObject({ exit: 0, err: '' });
});

describe('natriumctl init that was interrupted', () => {
  const at = (...names: readonly string[]) => join(dir, 'pki', ...names);

  it('is completed when it is run again: the broker’s keys are made, and the cluster is the same', async () => {
    await ctl('init');
    rmSync(at('broker'), { recursive: true });
    mkdirSync(at('broker.new')); // killed while they were being made
    const root = (await ctl('fingerprint')).out.trim();
    const again = await ctl('init');
    expect(again).toMatchObject({ exit: 0, err: '' });
    expect(again.out).toContain(root);
    expect(existsSync(at('broker', 'server.conf'))).toBe(true);
  });

  it('begins anew where it was killed before the cluster’s keys were whole', async () => {
    await ctl('init');
    const before = (await ctl('fingerprint')).out;
    rmSync(at('broker'), { recursive: true });
    rmSync(at('roles')); // the last of them
    mkdirSync(at('broker.new'));
    expect(await ctl('init')).toMatchObject({ exit: 0, err: '' });
    expect(readdirSync(at('storage', 'jobs'))).toHaveLength(1);
    expect((await ctl('fingerprint')).out).not.toBe(before);
    expect(await ctl('init')).toMatchObject({ exit: 0, out: expect.stringContaining('lacks nothing') as string });
  });

  it('does not begin anew where the roles went later: the broker’s keys were on their way then', async () => {
    await ctl('init');
    renameSync(at('broker'), at('broker.new'));
    rmSync(at('roles'));
    const root = readFileSync(at('root.key'), 'utf8');
    expect(await ctl('init')).toMatchObject({ exit: 78, err: expect.stringContaining('root.key is there') as string });
    expect(readFileSync(at('root.key'), 'utf8')).toBe(root);
  });

  it('is not begun while another is at work on the same keys', async () => {
    const lock = await lockFolder(at(), { name: 'init', program: 'natriumctl init', mend: '' });
    const before = readdirSync(at());
    const said = `natriumctl: error: ${at()} is in use by another natriumctl init (process ${String(process.pid)}); `;
    const mend = 'do it again when that one has ended; nothing was changed\n';
    expect(await ctl('init')).toEqual({ exit: 1, out: '', err: said + mend });
    expect(readdirSync(at())).toEqual(before);
    lock.release();
    expect((await ctl('init')).exit).toBe(0);
  });

  it('gets its next certificate, and what an earlier version lacks, from one at a time', async () => {
    await ctl('init');
    const scopes = at('broker', 'acl', 'scopes.json');
    const lock = await lockFolder(at(), { name: 'init', program: 'natriumctl init', mend: '' });
    const inUse = { exit: 1, out: '', err: expect.stringContaining('in use by another natriumctl init') as string };
    expect(await ctl('init', '--broker-tls', 'localhost')).toEqual(inUse);
    const { sink: _, ...earlier } = JSON.parse(readFileSync(scopes, 'utf8')) as Record<string, string>;
    writeFileSync(scopes, JSON.stringify(earlier));
    expect(await ctl('init')).toEqual(inUse);
    expect([existsSync(at('broker', 'tls')), JSON.parse(readFileSync(scopes, 'utf8'))]).toEqual([false, earlier]);
    lock.release();
    expect(await ctl('init')).toMatchObject({ exit: 0, out: expect.stringContaining('were made: sink') as string });
  });

  it('has nothing to do where nothing is missing: 0 and a sentence, since a script asks at each upgrade', async () => {
    await ctl('init');
    const before = readdirSync(dir, { recursive: true });
    const said = `${at()} holds a cluster that lacks nothing of this version; nothing was changed\n`;
    expect(await ctl('init')).toEqual({ exit: 0, out: said, err: '' });
    expect(readdirSync(dir, { recursive: true })).toEqual(before);
  });

  it('makes no other keys where the broker’s, or those of the cluster, are there in part', async () => {
    await ctl('init');
    for (const name of ['broker/account', 'roles']) {
      renameSync(at(name), join(dir, 'elsewhere'));
      const before = readdirSync(at());
      expect(await ctl('init')).toMatchObject({ exit: 78, err: expect.stringContaining('put all of') as string });
      expect([readdirSync(at()), existsSync(at(name))]).toEqual([before, false]);
      renameSync(join(dir, 'elsewhere'), at(name));
    }
    for (const name of ['broker', 'roles']) rmSync(at(name), { recursive: true });
    expect(await ctl('init')).toMatchObject({ exit: 78, err: expect.stringContaining('root.key is there') as string });
  });

  it.each([[['broker']], [['broker', 'root.key']]])(
    'makes none where a cluster that was whole has lost %j',
    async (lost) => {
      await ctl('init');
      for (const name of lost) rmSync(at(name), { recursive: true });
      const mend = `without ${at('broker')}: put it back from a backup; nothing was changed`;
      expect(await ctl('init')).toMatchObject({ exit: 1, out: '', err: expect.stringContaining(mend) as string });
      expect(existsSync(at('broker'))).toBe(false);
    },
  );
});

it('natriumctl init says which file of the broker’s keys is damaged, and changes nothing', async () => {
  await ctl('init');
  const path = join(dir, 'pki', 'broker', 'acl', 'scopes.json');
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.slice(0, -3));
  const said = `natriumctl: error: key file ${path} does not hold keys by name; restore it from a backup of its folder\n`;
  expect(await ctl('init')).toEqual({ exit: 1, out: '', err: said });
  writeFileSync(path, whole);
  expect((await ctl('init')).exit).toBe(0);
});

it('natriumctl fingerprint: 78 without a cluster, and for a configuration or a key that cannot be used', async () => {
  expect(await ctl('fingerprint')).toMatchObject({ exit: 78, err: expect.stringContaining('natriumctl init founds one') as string });
  expect((await ctl('fingerprint', '-c', join(dir, 'nowhere'))).exit).toBe(78);
  await ctl('init');
  writeFileSync(join(dir, 'pki', 'roles'), 'junk');
  expect(await ctl('fingerprint')).toMatchObject({ exit: 78, err: expect.stringMatching(/^key file .*restore it from a backup/) as string });
}); // prettier-ignore

async function ctl(verb: string, ...words: readonly string[]) {
  const io = new ScriptedIo();
  const ports = { init: runInit, fingerprint: runFingerprint } satisfies Partial<CtlPorts> as unknown as CtlPorts;
  const exit = await runNatriumctl([verb, '-c', dir, ...words], io, ports);
  return { exit, out: io.stdout, err: io.stderr };
}
