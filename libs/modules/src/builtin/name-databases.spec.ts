/** Accounts and groups as the name service tells them: whose name is whose, and who is nobody. */
import { call } from '../testing/call-context.js';
import { accountOf, type Getent, groupNames, knownName, userOf } from './name-databases.js';

const { signal } = new AbortController();

/** A directory beside the files of the host: it knows people by several spellings, and lists nobody. */
const directory: Getent = (database, [key = '', ...more]) => {
  const ann = 'ann@example.com:*:70001:70000:Ann:/home/ann@example.com:\n';
  const said: Readonly<Record<string, string>> = {
    'passwd ann@example.com': ann,
    'passwd EXAMPLE\\Ann': ann,
    'passwd old': 'old:x:7:8::/:\n',
    'passwd 70001': ann,
    'passwd +0': 'root:x:0:0:root:/root:/bin/bash\n',
    'passwd  0': 'root:x:0:0:root:/root:/bin/bash\n',
    'passwd none': 'none:x::::/:\n',
    'passwd word': 'word:x:a:1::/:/bin/sh\n',
    'passwd half': 'half:x:5:::/:/bin/sh\n',
    'passwd +': '+::::::\n',
    'initgroups ann@example.com': 'ann@example.com       4 70002\n',
    'group 70000 4 70002': 'domain users:*:70000:\nadm:x:4:\ndb 1 admins:*:70002:ann@example.com\n',
    'group ': 'adm:x:4:\nstaff:x:50:ann@example.com,old\nown:x:8:\n',
  };
  return Promise.resolve(said[`${database} ${[key, ...more].join(' ')}`] ?? '');
};

it.each(['ann@example.com', 'EXAMPLE\\Ann'])(
  'runs something as whom only a directory knows, asked for as %s',
  async (name) => {
    expect(await accountOf(name, signal, directory)).toEqual({
      name: 'ann@example.com',
      uid: 70_001,
      gid: 70_000,
      gecos: 'Ann',
      home: '/home/ann@example.com',
      shell: '/bin/sh',
    });
  },
);

it.each(['none', 'word', 'half', '+', '+0', ' 0', '70001', 'nobody-here', '', 'a:b', 'a\nb', 'a\0b'])(
  'is never root, nor anybody, for want of a name or a number: %j',
  async (name) => {
    await expect(accountOf(name, signal, directory)).rejects.toThrow(`User '${name}' is not available`);
  },
);

it('tells the groups of one account without a list of all', async () => {
  const ann = await userOf('ann@example.com', signal, directory);
  expect(ann && (await groupNames(ann, signal, directory))).toEqual(['adm', 'db 1 admins', 'domain users']);
});

it('tells them from the list of all where the name service has no other way', async () => {
  const plain: Getent = (database, ...rest) =>
    database === 'initgroups' ? Promise.resolve(undefined) : directory(database, ...rest);
  const old = await userOf('old', signal, directory);
  expect(old && (await groupNames(old, signal, plain))).toEqual(['own', 'staff']);
});

it('names of a directory go into groups of the host, and none that would be an option, two names or two fields', () => {
  for (const name of ['ann@example.com', 'EXAMPLE\\ann', 'domain users', '_apt', 'host$'])
    expect(knownName(name)).toBe(name);
  for (const name of ['', '-x', '+x', ' x', 'a,b', 'a:b', 'a\nb', 'a\0b'])
    expect(() => knownName(name)).toThrow('is not the name of an account or a group');
});

it.each(['ann@example.com', 'EXAMPLE\\ann', 'Ann Onym', '0', '+0', '-x', 'a:b'])(
  'knows nothing of %j, and that is no failure, as in Salt',
  async (name) => {
    expect(await call('user.info', [name])).toMatchObject({ ret: {}, retcode: 0 });
    expect(await call('user.list_groups', [name])).toMatchObject({ ret: [], retcode: 0 });
    expect(await call('group.info', [name])).toMatchObject({ ret: {}, retcode: 0 });
    expect(await call('ps.pgrep', ['node', name])).toMatchObject({ ret: null, retcode: 0 });
  },
);
