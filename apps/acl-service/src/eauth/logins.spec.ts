/** Rules of logins that hold for every back end, whatever it does. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import { Attempts } from './attempts.js';
import { BOUND, found, LdapServers, serving } from './ldap-server.spec-support.js';
import { Logins, type LoginParts } from './logins.js';
import { Tallies } from './tallies.js';

const REFUSED = { ok: false, error: { code: 'bad_credential' } };
const BURST = 40;
const MAX_AT_ONCE = 32;
/** First byte of the key of an accepted account; no other key is known. */
const KNOWN = 7;

const folder = mkdtempSync(join(tmpdir(), 'nt-logins-'));
const opened: Logins[] = [];
const servers = new LdapServers();

beforeAll(() => sodiumReady());
afterEach(() => {
  for (const logins of opened.splice(0)) logins.onModuleDestroy();
  jest.useRealTimers();
  return servers.stop();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What logins write to their log is in `logged`, what they record and count in `recorded` and `counted`. */
function loginsWith(external_auth: object, more: object = {}) {
  const logged: string[] = [];
  const recorded: string[] = [];
  const counted: string[] = [];
  const hear = (...said: unknown[]) => void logged.push(said.map((one) => JSON.stringify(one)).join(' '));
  const now = () => 1_795_000_000_000;
  const tallies = new Tallies(new MemoryStore('tokens'), { id: 'names', key: new Uint8Array(32).fill(9) }, now);
  const parts = {
    attempts: new Attempts(tallies, now),
    tallies,
    now,
    log: { info: hear, warn: hear, error: hear },
    roster: { callerOf: ([first]: Uint8Array) => (first === KNOWN ? { kind: 'account', name: 'fred' } : undefined) },
    audit: {
      note: ({ verdict }: { verdict: string }) => void recorded.push(verdict),
      countLogin: (verdict: string) => void counted.push(verdict),
    },
    budget: new Budget({ rate: 1, burst: BURST }),
    own: () => 0,
    tokens: { issue: () => Promise.resolve('ab') },
    policy: () => ({ makeToken: () => ({}), accessOfLogin: () => ({ perms: {}, seesJobs: false }) }),
  };
  const logins = new Logins({ external_auth, ...more } as MasterConfig, parts as unknown as LoginParts);
  opened.push(logins);
  const login = (eauth: string, username: string, secret: string) =>
    logins.prove({ eauth, username, secret, token: '' }, '192.0.2.1');
  /** @returns The session that a login gets. */
  const session = async (eauth: string, username: string, secret: string, expire: number) => {
    const party = { owner: { type: 'identity', key: new Uint8Array(32) } };
    const credential = { eauth, username, secret, token: '' };
    const body = { what: 'login', use: 'session', credential, expire, address: '', about: '' };
    const asked = { body, party } as unknown as Parameters<Logins['handle']>[0];
    const { session: told } = await logins.handle(asked);
    return told === null ? null : { name: told.name, seconds: (told.expire - told.start) / 1000 };
  };
  /** @returns The code of the refusal of a login that comes with this key, or of this role. */
  const codeOf = async (username: string, from: number | 'role') => {
    const type = from === 'role' ? 'role' : 'identity';
    const party = { owner: { type, key: new Uint8Array(32).fill(from === 'role' ? 0 : from) } };
    const credential = { eauth: 'auto', username, secret: '', token: '' };
    const body = { what: 'login', use: 'session', credential, expire: null, address: '192.0.2.1', about: '' };
    return (await logins.handle({ body, party } as unknown as Parameters<Logins['handle']>[0])).refusal?.code;
  };
  return { login, session, codeOf, logged, recorded, counted };
}

it('a back end that never ends fails after a minute', async () => {
  jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { login, logged } = loginsWith({ file: { '^filename': pipe } });
  let ended = false;
  const refused = login('file', 'bob', 'one').finally(() => {
    ended = true;
  });
  await jest.advanceTimersByTimeAsync(59_000);
  expect(ended).toBe(false);
  await jest.advanceTimersByTimeAsync(1000);
  expect(await refused).toMatchObject(REFUSED);
  expect(logged).toEqual([expect.stringContaining('a back end of external_auth failed')]);
  // Ends the read, which holds a thread.
  closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
});

it('an empty password proves nobody, also where a file has one', async () => {
  const filename = join(folder, 'users');
  writeFileSync(filename, 'alice:one\nbob:\n');
  const { login } = loginsWith({ file: { '^filename': filename } });
  expect(await login('file', 'alice', 'one')).toMatchObject({ ok: true });
  expect(await login('file', 'bob', '')).toMatchObject(REFUSED);
});

it('only auto, which asks for none, takes an empty password', async () => {
  const { login } = loginsWith({ auto: {} }, { eauth_auto_for_development: true });
  expect(await login('auto', 'zoe', '')).toMatchObject({ ok: true });
});

it('who may choose how long a token lives is named as the directory spells him, however he types it', async () => {
  const entry = found('uid=fred,dc=x', { uid: 'fred' });
  const uri = await servers.start(serving(BOUND, entry));
  const settings = { auth_ldap: { uri, basedn: 'dc=x', binddn: 'uid={{ username }},dc=x' }, token_expire: 60 };
  const asks = (override: unknown) =>
    loginsWith({ ldap: {} }, { ...settings, token_expire_user_override: override }).session('ldap', 'FRED', 'one', 10);
  expect(await asks({ ldap: ['fred'] })).toEqual({ name: 'fred', seconds: 10 });
  expect(await asks({ ldap: ['FRED'] })).toEqual({ name: 'fred', seconds: 60 });
  expect(await asks({ file: ['fred'] })).toEqual({ name: 'fred', seconds: 60 });
});

describe('too many logins', () => {
  const auto = () => loginsWith({ auto: {} }, { eauth_auto_for_development: true, token_expire: 60 });

  it('of those without a key, who share a budget whatever keys they come with, are told to slow down and not recorded', async () => {
    const { codeOf, recorded, counted } = auto();
    for (let key = 0; key < BURST; key += 1) expect(await codeOf('zoe', 100 + key)).toBeUndefined();
    recorded.splice(0);
    expect(await codeOf('zoe', 200)).toBe('slow_down');
    expect([recorded, counted]).toEqual([[], ['slow_down']]);
  });

  it('of strangers keep out neither an account with a key nor those who come through a gateway', async () => {
    const { codeOf } = auto();
    for (let key = 0; key < BURST; key += 1) await codeOf('zoe', 100 + key);
    expect(await codeOf('zoe', 200)).toBe('slow_down');
    for (let n = 0; n < BURST; n += 1) expect(await codeOf('zoe', KNOWN)).toBeUndefined();
    expect(await codeOf('zoe', KNOWN)).toBe('slow_down');
    for (let n = 0; n <= BURST; n += 1) expect(await codeOf('zoe', 'role')).toBeUndefined();
  });

  it('at once are counted and not recorded; each that was looked at and failed is recorded', async () => {
    const { codeOf, recorded, counted } = auto();
    const names = Array.from({ length: MAX_AT_ONCE + 3 }, (_, n) => `no name \n${String(n)}`);
    const codes = await Promise.all(names.map((name) => codeOf(name, 'role')));
    expect(codes.filter((code) => code === 'slow_down')).toHaveLength(3);
    expect(codes.filter((code) => code === 'bad_credential')).toHaveLength(MAX_AT_ONCE);
    expect(counted).toEqual(['slow_down', 'slow_down', 'slow_down']);
    expect(recorded).toEqual(Array.from({ length: MAX_AT_ONCE }, () => 'refuse'));
  });
});
