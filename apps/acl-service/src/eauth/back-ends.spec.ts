import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { MasterConfig } from '@natrium/config';
import apacheMd5 from 'apache-md5';
import { hashSync } from 'bcryptjs';
import { verifiesPassword } from './password-hash.js';
import { backEndsOf } from './registry.js';
import { tokenLifetimeMs } from './token-lifetime.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-eauth-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const config = (more: object) =>
  ({
    external_auth: {},
    sharedsecret: '',
    auth_ldap: {},
    auth_pam: {},
    eauth_auto_for_development: false,
    token_expire: 60,
    token_expire_user_override: false,
    ...more,
  }) as MasterConfig;
const open = (external_auth: object, more: object = {}) => {
  const problems: string[] = [];
  const hear = (...why: unknown[]) =>
    void problems.push(why.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' '));
  const log = { info: hear, warn: hear, error: hear };
  const backEnds = backEndsOf(config({ external_auth, ...more }), log);
  return { backEnds, problems };
};
const md5 = apacheMd5 as unknown as (password: string) => string;
const sha = (text: string) => `{SHA}${createHash('sha1').update(text).digest('base64')}`;

describe('a password', () => {
  // The three of `htpasswd -B`, `-m` and `-s` for "secret" and "myPassword".
  it.each([
    ['bcrypt', hashSync('secret', 4), 'secret'],
    ['bcrypt as htpasswd writes it', hashSync('secret', 4).replace('$2b$', '$2y$'), 'secret'],
    ['apr1', '$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/', 'myPassword'],
    // `openssl passwd -apr1 -salt abcdefgh`
    ['apr1 of letters beyond ASCII', '$apr1$abcdefgh$030j6I3f1zNCF9tihqdd11', 'pässwörd'],
    ['apr1 of letters of many bytes', '$apr1$abcdefgh$emRK6rFM9Y2oVGUnW3u4L1', 'пароль€'],
    ['SHA-1', sha('secret'), 'secret'],
  ])('is verified by its %s hash, and no other is', async (_kind, stored, password) => {
    expect(await verifiesPassword(password, stored)).toBe(true);
    for (const wrong of [`${password}x`, '', stored]) expect(await verifiesPassword(wrong, stored)).toBe(false);
  });

  it.each(['', 'secret', 'rqXexS6ZhobKA', '$6$salt$hash', '{SSHA}abc'])('is never proved by %j', async (stored) => {
    expect(await verifiesPassword('secret', stored)).toBe(false);
    expect(await verifiesPassword(stored, stored)).toBe(false);
  });
});

describe('the back end file', () => {
  const path = join(folder, 'users');
  const login = (backEnd: 'file', settings: object, username: string, secret: string) =>
    open({ file: { '^filename': path, ...settings } })
      .backEnds.get(backEnd)
      ?.authenticate({ username, secret });

  it('reads an htpasswd file at each login', async () => {
    writeFileSync(path, `# a comment\nalice:${md5('one')}\n`);
    const back = open({ file: { '^filename': path, '^filetype': 'htpasswd', alice: ['.*'] } }).backEnds.get('file');
    expect(await back?.authenticate({ username: 'alice', secret: 'one' })).toEqual({ name: 'alice', groups: [] });
    for (const [username, secret] of [['alice', 'two'], ['bob', 'one'], ['# a comment', ''], ['', '']] as const) {
      expect(await back?.authenticate({ username, secret })).toBeUndefined();
    }
    writeFileSync(path, `alice:${md5('two')}\n`);
    expect(await back?.authenticate({ username: 'alice', secret: 'one' })).toBeUndefined();
  }); // prettier-ignore

  it('reads texts with a hash, and their fields', async () => {
    const hash = createHash('sha256').update('one').digest('hex');
    writeFileSync(path, `x|alice|${hash.toUpperCase()}\n`);
    const settings = { '^hashtype': 'sha256', '^field_separator': '|', '^username_field': 2, '^password_field': 3 };
    expect(await login('file', settings, 'alice', 'one')).toEqual({ name: 'alice', groups: [] });
    expect(await login('file', settings, 'alice', hash)).toBeUndefined();
  });

  it.each([
    ['2', '3'],
    [2, 3],
  ])('takes the columns %j and %j', async (user, password) => {
    writeFileSync(path, 'x:alice:one\nalice:two\n');
    const settings = { '^username_field': user, '^password_field': password };
    expect(await login('file', settings, 'alice', 'one')).toEqual({ name: 'alice', groups: [] });
    expect(await login('file', settings, 'alice', 'two')).toBeUndefined();
    expect(await login('file', settings, 'x', 'alice')).toBeUndefined();
  });

  it('passes over lines that are no entry', async () => {
    writeFileSync(path, '\n# users\nonly a name\nalice:one\n');
    expect(await login('file', {}, 'alice', 'one')).toEqual({ name: 'alice', groups: [] });
    for (const name of ['only a name', '# users', '']) expect(await login('file', {}, name, '')).toBeUndefined();
  });

  it('says whose hash is of a kind that it does not read', async () => {
    writeFileSync(path, `alice:${sha('one')}\nbob:$6$salt$hash\n`);
    const { backEnds, problems } = open({ file: { '^filename': path, '^filetype': 'htpasswd' } });
    for (const username of ['alice', 'bob', 'carol']) {
      const login = await backEnds.get('file')?.authenticate({ username, secret: 'one' });
      expect(login?.name).toBe(username === 'alice' ? 'alice' : undefined);
    }
    expect(problems).toEqual([expect.stringMatching(/"bob".*of a kind that is not read/)]);
    expect(problems.join()).not.toContain('$6$');
  });

  it.each(['two', '0', '', 0, -1, 1.5, null, ['1']])('opens none with the column %j, and says why', (column) => {
    for (const key of ['^username_field', '^password_field']) {
      const { backEnds, problems } = open({ file: { '^filename': 'x', [key]: column } });
      expect([...backEnds.keys()]).toEqual([]);
      expect(problems).toEqual([expect.stringContaining(key)]);
    }
  });

  it.each([
    [{ file: {} }, '^filename'],
    [{ file: { '^filename': 'x', '^filetype': 'htdigest' } }, '^filetype'],
    [{ file: { '^filename': 'x', '^filetype': 'csv' } }, '^filetype'],
    [{ file: { '^filename': 'x', '^hashtype': 'rot13' } }, '^hashtype'],
    [{ sharedsecret: { a: ['.*'] } }, 'set sharedsecret'],
    [{ django: { a: ['.*'] } }, 'there is no such back end'],
    [{ keystone: { a: ['.*'] } }, 'there is no such back end'],
    [{ mysql: { a: ['.*'] } }, 'there is no such back end'],
    [{ pki: { a: ['.*'] } }, 'there is no such back end'],
    [{ rest: { a: ['.*'] } }, 'there is no such back end'],
    [{ yubico: { a: ['.*'] } }, 'there is no such back end'],
    [{ ouija: { a: ['.*'] } }, 'there is no such back end'],
    [{ constructor: { a: ['.*'] } }, 'there is no such back end'],
  ])('%j opens no back end, and says why', (external, why) => {
    const { backEnds, problems } = open(external);
    expect([...backEnds.keys()]).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(why)]);
  });
});

it('the shared secret proves any name, and nothing else does', async () => {
  const back = open({ sharedsecret: {} }, { sharedsecret: 'long and random' }).backEnds.get('sharedsecret');
  expect(await back?.authenticate({ username: 'zoe', secret: 'long and random' })).toEqual({ name: 'zoe', groups: [] });
  for (const secret of ['', 'long', 'long and random ']) {
    expect(await back?.authenticate({ username: 'zoe', secret })).toBeUndefined();
  }
});

it.each([
  [false, 10, 60], [true, 10, 10], [true, null, 60], [true, 94_670_856, 94_670_856], [true, 1e12, 315_360_000],
  [true, 0, 1], [false, 0, 60],
  [{ file: ['alice'] }, 10, 10], [{ file: ['bob'] }, 10, 60], [{ ldap: ['alice'] }, 10, 60],
])('with token_expire_user_override %j, a wish for %s s is a token of %s s', (override, expire, seconds) => {
  const settings = config({ token_expire_user_override: override });
  expect(tokenLifetimeMs(settings, { eauth: 'file', name: 'alice', expire })).toBe(seconds * 1000);
}); // prettier-ignore
