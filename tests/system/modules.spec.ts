/** Modules that change this machine: an account and a group are made, changed and removed, and the files are as before. */
import { readFileSync } from 'node:fs';
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
