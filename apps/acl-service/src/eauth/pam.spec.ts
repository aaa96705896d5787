import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pamWith, serviceOf } from './pam.js';

const CANARY = 'canary-pam-51c2';

interface Scripted {
  readonly code?: number;
  readonly stderr?: string;
  readonly name?: string;
  readonly groups?: string;
  /** The same groups as numbers; with them, one has no name. */
  readonly gids?: string;
}

/** A host whose PAM answers as told. */
function aHost({ code = 0, stderr = '', name = 'fred', groups = 'fred\0wheel\0domain users\0', gids }: Scripted = {}) {
  const ran: { readonly words: readonly string[]; readonly input: string | undefined }[] = [];
  const logged: unknown[] = [];
  const run = (file: string, words: readonly string[], input?: string) => {
    ran.push({ words: [file, ...words], input });
    if (file === 'pamtester') return Promise.resolve({ code, stdout: '', stderr });
    if (file === 'id') {
      const isNumbers = words[0] === '-Gz';
      const stdout = isNumbers ? (gids ?? '') : groups;
      return Promise.resolve({ code: isNumbers || gids === undefined ? 0 : 1, stdout, stderr: '' });
    }
    const stdout = `${name}:x:1000:1000::/:/bin/sh\n`;
    return Promise.resolve({ code: name === '' ? 2 : 0, stdout, stderr: '' });
  };
  const log = { info: (...said: unknown[]) => void logged.push(said), warn: () => undefined, error: () => undefined };
  const backEnd = pamWith({ pamtester: 'pamtester', getent: 'getent', id: 'id', run }, 'natrium', log);
  const login = (username: string, secret: string = CANARY) => backEnd.authenticate({ username, secret });
  return { login, ran, logged };
}

it('asks for the password and the state of the account, with the password on stdin alone', async () => {
  const { login, ran } = aHost();
  expect(await login('fred')).toEqual({ name: 'fred', groups: ['fred', 'wheel', 'domain users'] });
  expect(ran[0]).toEqual({
    words: ['pamtester', 'natrium', 'fred', 'authenticate', 'acct_mgmt'],
    input: `${CANARY}\n`,
  });
  expect(JSON.stringify(ran.map(({ words }) => words))).not.toContain(CANARY);
});

it("takes the name service's own spelling of the name", async () => {
  expect((await aHost({ name: 'fred' }).login('FRED'))?.name).toBe('fred');
});

it.each(['Authentication failure', 'User account has expired', 'Permission denied'])(
  'refuses with %s, which the log tells, and the password it does not',
  async (why) => {
    const { login, ran, logged } = aHost({ code: 1, stderr: `pamtester: ${why}\n` });
    expect(await login('fred')).toBeUndefined();
    expect(ran).toHaveLength(1);
    expect(JSON.stringify(logged)).toContain(why);
    expect(JSON.stringify(logged)).not.toContain(CANARY);
  },
);

it.each(['0', '1000', '+0'])('refuses %s, for which getent answers with whose uid it is', async (username) => {
  expect(await aHost({ name: 'root' }).login(username)).toBeUndefined();
});

it('lets in an account that is called a number', async () => {
  expect((await aHost({ name: '1000' }).login('1000'))?.name).toBe('1000');
});

it('a group without a name is none, not one that is called by its number', async () => {
  const host = aHost({ groups: 'fred\x0054321\x00100\x00', gids: '1000\x0054321\x005000\x00' });
  expect((await host.login('fred'))?.groups).toEqual(['fred', '100']);
});

it.each([
  ['', ''],
  ['fred\0wheel\0', '1000\0'],
  ['fred\0', ''],
])('fails where id fails with the names %j and the numbers %j', async (groups, gids) => {
  await expect(aHost({ groups, gids }).login('fred')).rejects.toThrow('id did not tell');
});

it('refuses whom the name service does not know', async () => {
  expect(await aHost({ name: '' }).login('fred')).toBeUndefined();
});

it.each(['-x', '--help', '', 'a b', 'a:b', '../x', 'a/b', 'a\nb', 'x'.repeat(201)])(
  'asks nothing about %j, which is no name of an account',
  async (username) => {
    const { login, ran } = aHost();
    expect(await login(username)).toBeUndefined();
    expect(ran).toEqual([]);
  },
);

it.each(['', 'a\nb', 'a\0b', 'a\rb', 'x'.repeat(512)])('asks nothing with the password %j', async (secret) => {
  const { login, ran } = aHost();
  expect(await login('fred', secret)).toBeUndefined();
  expect(ran).toEqual([]);
});

it('a service is a file where PAM looks, also where the distribution keeps its own, and nothing else is one', () => {
  const root = mkdtempSync(join(tmpdir(), 'nt-pam-'));
  try {
    const folders = ['own', 'shipped'].map((name) => join(root, name));
    for (const folder of folders) mkdirSync(folder);
    for (const [at, name] of ['natrium', 'login'].entries()) writeFileSync(join(folders[at] ?? '', name), '');
    for (const name of ['natrium', 'login']) expect(serviceOf(name, folders)).toBe(name);
    for (const name of ['other', '', '.', '../own/natrium', 7, null]) {
      expect(() => serviceOf(name, folders)).toThrow(`names a file of ${folders.join(', ')}`);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
