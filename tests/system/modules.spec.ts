/**
 * Modules that need root: an account and a group of this machine are made, changed and removed, and the files are as before; files and folders
 * are given to another owner.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Value } from '@natrium/model';
import { builtinModules, minionRegistry } from '@natrium/modules';

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

describe('files and folders', () => {
  let folder: string;
  let path: string;
  beforeAll(() => {
    if (process.getuid?.() !== 0) throw new Error('these tests give files to another owner: they need root');
  });
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

  it('that are made all have the owner, and those that were there keep theirs', async () => {
    await run('file.makedirs', join(folder, 'n/m/file'), 'nobody', 'nogroup');
    for (const name of ['n', 'n/m']) expect(await run('file.get_user', join(folder, name))).toBe('nobody');
    expect(await run('file.get_user', folder)).toBe('root');
  });
});
