import { pamWith } from './pam.js';

const CANARY = 'canary-pam-51c2';

interface Scripted {
  readonly code?: number;
  readonly stderr?: string;
  readonly name?: string;
  readonly groups?: string;
}

/** A host whose PAM answers as told. */
function aHost({ code = 0, stderr = '', name = 'fred', groups = 'fred\0wheel\0domain users\0' }: Scripted = {}) {
  const ran: { readonly words: readonly string[]; readonly input: string | undefined }[] = [];
  const logged: unknown[] = [];
  const run = (file: string, words: readonly string[], input?: string) => {
    ran.push({ words: [file, ...words], input });
    if (file === 'pamtester') return Promise.resolve({ code, stdout: '', stderr });
    const stdout = file === 'getent' ? `${name}:x:1000:1000::/:/bin/sh\n` : groups;
    return Promise.resolve({ code: file === 'getent' && name === '' ? 2 : 0, stdout, stderr: '' });
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
