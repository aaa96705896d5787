/**
 * What needs root of rules that stand beside the code. An account and a group of this machine are made, changed and removed, and the files are
 * as before; commands run as another account; files and folders are given to another owner, which `natriumctl doctor` tells of keys.
 */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Value } from '@natrium/model';
import { builtinModules, minionRegistry } from '@natrium/modules';
import { checkFiles } from '../../apps/cli/src/doctor/host-checks.js';

const USER = 'natrium-t1';
const GROUP = 'natrium-g1';
const FILES = ['/etc/passwd', '/etc/group'] as const;

const run = async (fun: string, ...sent: Value[]) => {
  const context = {
    id: 'web1',
    jid: '20260101000000000001',
    grains: () => ({}),
    config: { id: 'web1' },
    signal: new AbortController().signal,
  };
  return (await minionRegistry(builtinModules).execute(fun, sent, context)).ret;
};
const contents = () => FILES.map((file) => readFileSync(file, 'utf8'));

beforeAll(() => {
  if (process.getuid?.() !== 0) throw new Error('these tests act for other accounts: they need root');
});

describe('accounts and groups of this machine', () => {
  afterEach(async () => {
    await run('user.delete', USER);
    await run('group.delete', GROUP);
  });

  it('are added, changed and removed, and all is as before', async () => {
    const before = contents();
    expect(await run('group.add', GROUP, 47_001)).toBe(true);
    const options = { uid: 47_001, gid: GROUP, createhome: false, shell: '/bin/sh', fullname: 'Natrium Test' };
    expect(await run('user.add', USER, { __kwarg__: true, ...options })).toBe(true);
    expect(await run('user.info', USER)).toMatchObject({ uid: 47_001, gid: 47_001, fullname: 'Natrium Test' });
    expect(await run('user.chshell', USER, '/bin/false')).toBe(true);
    expect(await run('user.chhome', USER, '/srv/natrium-t1')).toBe(true);
    expect(await run('user.chgroups', USER, 'adm', true)).toBe(true);
    expect(await run('user.info', USER)).toMatchObject({
      shell: '/bin/false',
      home: '/srv/natrium-t1',
      groups: ['adm', GROUP],
    });
    expect(await run('group.adduser', GROUP, USER)).toBe(true);
    expect(await run('group.info', GROUP)).toMatchObject({ members: [USER] });
    expect(await run('group.deluser', GROUP, USER)).toBe(true);
    expect(await run('group.info', GROUP)).toMatchObject({ members: [] });
    expect(await run('user.add', USER)).toContain('already exists');
    expect(await run('user.delete', USER)).toBe(true);
    expect(await run('user.info', USER)).toEqual({});
    expect(await run('group.delete', GROUP)).toBe(true);
    expect(contents()).toEqual(before);
  });
});

describe('a command', () => {
  const as = (options: Readonly<Record<string, Value>>): Value => ({ __kwarg__: true, runas: 'nobody', ...options });

  it('runs as another account, with its home and in none but its first group', async () => {
    expect(await run('cmd.run', 'id -un; echo $HOME', as({ python_shell: true, cwd: '/' }))).toMatch(/^nobody\n\//);
    expect(await run('cmd.run', 'id -Gn', as({ cwd: '/' }))).toBe('nogroup');
    expect(await run('cmd.exec_code', 'sh', 'id -un', '/', as({}))).toBe('nobody');
  });

  it('runs in the root where that account has no home', async () => {
    expect(await run('user.info', 'nobody')).toMatchObject({ home: '/nonexistent' });
    expect(await run('cmd.run', 'pwd', as({}))).toBe('/');
  });
});

describe('files and folders', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natrium-file-'));
    path = join(folder, 'a.conf');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('change their owner, by name or number', async () => {
    writeFileSync(path, '');
    expect(await run('file.chown', path, 'nobody', 'nogroup')).toBeNull();
    expect(await run('file.get_user', path)).toBe('nobody');
    expect(await run('file.chgrp', path, '0')).toBeNull();
    expect(await run('file.get_group', path)).toBe('root');
    expect(await run('file.chown', path, 'no-such-user', '')).toBe('ERROR: User does not exist');
  });

  it('keep their owner where only a link to them has another, and give it to a copy', async () => {
    const [link, copy] = [join(folder, 'link'), join(folder, 'copy')];
    writeFileSync(path, '');
    symlinkSync(path, link);
    expect(await run('file.chown', link, 'nobody', 'nogroup')).toBeNull();
    expect([lstatSync(link).uid === 0, statSync(path).uid]).toEqual([false, 0]);
    expect(await run('file.chown', path, 'nobody', 'nogroup')).toBeNull();
    expect(await run('file.copy', path, copy)).toBe(true);
    expect(await run('file.get_user', copy)).toBe('nobody');
  });

  it('that are made all have the owner, and those that were there keep theirs', async () => {
    await run('file.makedirs', join(folder, 'n/m/file'), 'nobody', 'nogroup');
    for (const name of ['n', 'n/m']) expect(await run('file.get_user', join(folder, name))).toBe('nobody');
    expect(await run('file.get_user', folder)).toBe('root');
  });
});

it('natriumctl doctor names a key that belongs to another than the folder of keys does; an account owns its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nt-keys-'));
  try {
    const NOBODY = 65534;
    const pki = join(folder, 'pki');
    const [gateway, account] = [join(pki, 'roles.d', 'gateway.key'), join(pki, 'accounts', 'bob.key')];
    for (const name of ['roles.d', 'accounts']) mkdirSync(join(pki, name), { recursive: true, mode: 0o711 });
    for (const path of [gateway, account]) writeFileSync(path, '', { mode: 0o600 });
    chmodSync(pki, 0o711);
    chownSync(account, NOBODY, NOBODY);
    const said = () => checkFiles({ pki_dir: pki }).map(({ level, what, mend }) => [level, what.split(':')[0], mend]);
    expect(said()).toEqual([['ok', `keys in ${pki} are readable by their owner only`, '']]);
    chownSync(gateway, NOBODY, NOBODY);
    const what = `${gateway} belongs to user 65534, and ${pki} to user 0`;
    expect(said()).toEqual([['problem', what, `chown 0 ${gateway}`]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
