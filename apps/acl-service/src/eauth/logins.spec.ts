/** Rules of logins that hold for every back end, whatever it does. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import type { MasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import { FakeClock } from '@natrium/testing';
import { policyOf } from '../policy/policy-of.spec-support.js';
import { OnceOnly } from '../once-only.js';
import { Attempts } from './attempts.js';
import { BOUND, found, LdapServers, serving } from './ldap-server.spec-support.js';
import { Logins, type LoginParts } from './logins.js';
import { Tallies } from './tallies.js';
import { Tokens } from './tokens.js';

const REFUSED = { ok: false, error: { code: 'bad_credential' } };
const BURST = 40;
const MAX_AT_ONCE = 32;
/** Logins of one address alone that are looked at or wait. */
const MAX_OF_ADDRESS = 128;
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

const NOW = 1_795_000_000_000;
type Steady = ConstructorParameters<typeof Logins>[2];
type Own = Partial<Pick<LoginParts, 'now' | 'tokens' | 'policy' | 'attempts'>>;

/**
 * What logins write to their log is in `logged`, what they record and count in `recorded` and `counted`.
 *
 * @param own In the place of what others make of nothing.
 */
function loginsWith(external_auth: object, more: object = {}, own: Own = {}, steady?: Steady) {
  const logged: string[] = [];
  const recorded: string[] = [];
  const counted: string[] = [];
  const hear = (...said: unknown[]) => void logged.push(said.map((one) => JSON.stringify(one)).join(' '));
  const now = () => NOW;
  const tallies = new Tallies(new MemoryStore('tokens'), { id: 'names', key: new Uint8Array(32).fill(9) }, now);
  const parts = {
    attempts: new Attempts(tallies, now),
    tallies,
    once: new OnceOnly(new MemoryStore('tokens'), now),
    now,
    log: { info: hear, warn: hear, error: hear, debug: () => undefined },
    roster: { callerOf: ([first]: Uint8Array) => (first === KNOWN ? { kind: 'account', name: 'fred' } : undefined) },
    audit: {
      note: ({ verdict }: { verdict: string }) => void recorded.push(verdict),
      countLogin: (verdict: string) => void counted.push(verdict),
    },
    budget: new Budget({ rate: 1, burst: BURST }),
    own: () => 0,
    tokens: { issue: () => Promise.resolve('ab') },
    policy: () => ({ makeToken: () => ({}), accessOfLogin: () => ({ perms: {}, seesJobs: false }) }),
    ...own,
  };
  const logins = new Logins({ external_auth, ...more } as MasterConfig, parts as unknown as LoginParts, steady);
  opened.push(logins);
  const login = (eauth: string, username: string, secret: string, address = '192.0.2.1') =>
    logins.prove({ eauth, username, secret, token: '' }, address);
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
  return { logins, login, session, codeOf, logged, recorded, counted };
}

it('a token that has ended is refused, also where the store does not take its end', async () => {
  const entry = { use: 'token', eauth: 'pam', name: 'fred', groups: [], start: 0, expires: NOW, list: null };
  const tokens = { find: () => Promise.resolve(entry), end: () => Promise.reject(new Error('the disk is full')) };
  const own = { tokens, policy: () => policyOf('external_auth:\n  pam:\n    fred: [test.*]\n') };
  const { logins } = loginsWith({ auto: {} }, {}, own as unknown as Own);
  const credential = { eauth: '', username: '', secret: '', token: 'ab' };
  expect(await logins.prove(credential, '192.0.2.1')).toMatchObject(REFUSED);
});

/** As a gateway asks for it. @param id Made by the gateway at random. */
function loginOfFred(id: string) {
  const party = { owner: { type: 'role', key: new Uint8Array(32) } };
  const credential = { eauth: 'auto', username: 'fred', secret: '', token: id };
  const body = { what: 'login', use: 'session', credential, expire: null, address: '192.0.2.1', about: '' };
  return { body, party } as unknown as Parameters<Logins['handle']>[0];
}

describe('a login that is asked of several acl-services', () => {
  const store = () => new OnceOnly(new MemoryStore('tokens'), () => NOW);

  it('is carried out by one of them, and the others say that it was', async () => {
    const own = { once: store() } as unknown as Own;
    const [one, other] = [1, 2].map(() => loginsWith({ auto: {} }, { eauth_auto_for_development: true }, own).logins);
    const said = [
      await one?.handle(loginOfFred('id')),
      await other?.handle(loginOfFred('id')),
      await other?.handle(loginOfFred('other')),
    ];
    expect(said.map((answer) => answer?.refusal?.code)).toEqual([undefined, 'already_ran', undefined]);
  });

  it('is carried out by nobody where it cannot be noted; one without an id is not noted', async () => {
    const create = () => Promise.reject(Object.assign(new Error('the disk is full'), { name: 'StreamRefused' }));
    const once = new OnceOnly({ create } as unknown as MemoryStore, () => NOW);
    const own = { once } as unknown as Own;
    const { logins } = loginsWith({ auto: {} }, { eauth_auto_for_development: true }, own);
    expect((await logins.handle(loginOfFred('id'))).refusal?.code).toBe('store_unavailable');
    expect((await logins.handle(loginOfFred(''))).refusal).toBeNull();
  });
});

describe('where the store does not answer', () => {
  const fails = () => Promise.reject(Object.assign(new Error('it takes too long'), { name: 'TimeoutError' }));

  it('somebody with the right password hears that, and so does somebody with a token that is not known here', async () => {
    const tokens = { issue: fails, find: fails } as unknown as Tokens;
    const { logins, codeOf } = loginsWith({ auto: {} }, { eauth_auto_for_development: true }, { tokens });
    expect(await codeOf('fred', KNOWN)).toBe('store_unavailable');
    const credential = { eauth: '', username: '', secret: '', token: 'ab' };
    const told = { ok: false, error: { code: 'store_unavailable' } };
    expect(await logins.prove(credential, '192.0.2.1')).toMatchObject(told);
  });

  it('logins and tokens are one warning of each kind without a stack, and one a minute that counts', async () => {
    jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
    const own = { tokens: { issue: fails, find: fails }, attempts: { isLocked: fails, begin: fails } };
    const { logins, codeOf, logged } = loginsWith(
      { auto: {} },
      { eauth_auto_for_development: true },
      own as unknown as Own,
    );
    logged.length = 0;
    const credential = { eauth: '', username: '', secret: '', token: 'ab' };
    for (let n = 0; n < 50; n += 1) {
      expect(await codeOf('fred', 'role')).toBe('store_unavailable');
      await logins.prove(credential, '192.0.2.1');
    }
    const [UNCOUNTED, UNSTORED] = [
      'a login could not be counted, and was refused',
      'a token could not be written or looked up',
    ];
    const why = 'it takes too long';
    const told = [UNCOUNTED, UNSTORED].map((what) => `${JSON.stringify({ why })} ${JSON.stringify(what)}`);
    expect(logged).toEqual(told);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(logged.slice(2)).toEqual([
      expect.stringContaining(JSON.stringify({ counts: { [UNCOUNTED]: 49, [UNSTORED]: 49 } })),
    ]);
  });

  it('a fault of the program is one all the same', async () => {
    const tokens = { issue: () => Promise.reject(new TypeError('x is not a function')) } as unknown as Tokens;
    const { codeOf } = loginsWith({ auto: {} }, { eauth_auto_for_development: true }, { tokens });
    await expect(codeOf('fred', KNOWN)).rejects.toThrow('x is not a function');
  });
});

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

describe('a failure', () => {
  /** @returns After how many milliseconds it is told, when finding out took so many. */
  const toldAfter = async (eauth: string, ms: number) => {
    const clock = new FakeClock(0);
    const pass = (passedMs: number) => {
      clock.advance(passedMs);
      return Promise.resolve();
    };
    const begin = () => pass(ms).then(() => 'locked' as const);
    const steady = { now: clock.now, pause: pass };
    const settings = { auth_ldap: { uri: 'ldap://127.0.0.1:1', basedn: 'dc=x', binddn: 'uid={{ username }},dc=x' } };
    const attempts = { begin, isLocked: () => Promise.resolve(false) } as unknown as Attempts;
    const { login } = loginsWith({ ldap: {} }, settings, { attempts }, steady);
    expect(await login(eauth, 'zoe', 'one')).toMatchObject(REFUSED);
    return clock.now();
  };

  it.each([
    ['none', 10, 400],
    ['none', 390, 400],
    ['none', 400, 400],
    ['none', 410, 800],
    ['ldap', 10, 1000],
    ['ldap', 990, 1000],
    ['ldap', 1010, 2000],
  ])(
    'of the back end %s that took %i ms is told after %i: how far it came does not show',
    async (eauth, took, told) => {
      expect(await toldAfter(eauth, took)).toBe(told);
    },
  );
});

describe('a token', () => {
  /** Two tokens of fred, one for each use, and what asking for them under a use is answered. */
  const fredsTokens = async () => {
    const clock = new FakeClock(NOW);
    const tokens = await Tokens.follow(new MemoryStore('tokens'), clock.now);
    const policy = policyOf('external_auth:\n  pam:\n    fred: [test.*]\n');
    const { logins } = loginsWith({}, {}, { tokens, now: clock.now, policy: () => policy });
    const entry = { eauth: 'pam', name: 'fred', groups: [], start: NOW, expires: NOW + 1000, list: null };
    const [session, token] = [
      await tokens.issue({ ...entry, use: 'session' }),
      await tokens.issue({ ...entry, use: 'token' }),
    ];
    const credentialOf = (text: string) => ({ eauth: '', username: '', secret: '', token: text });
    const asked = async (what: 'check' | 'logout', use: 'session' | 'token', text: string) => {
      const body = { what, use, credential: credentialOf(text), expire: null, address: '', about: '' } as const;
      const party = { owner: { type: 'role', key: new Uint8Array(32) } };
      const answer = await logins.handle({ body, party } as unknown as Parameters<Logins['handle']>[0]);
      return answer.refusal?.code ?? answer.session?.name;
    };
    return { clock, tokens, session, token, asked, proves: (text: string) => logins.prove(credentialOf(text), '') };
  };

  it('of one use proves nobody where one of another is asked for, and does not end there', async () => {
    const { session, token, asked, tokens } = await fredsTokens();
    for (const what of ['check', 'logout'] as const) {
      expect(await asked(what, 'token', session)).toBe('bad_credential');
      expect(await asked(what, 'session', token)).toBe('bad_credential');
    }
    expect(await tokens.list()).toHaveLength(2);
    expect([await asked('logout', 'session', session), await asked('logout', 'token', token)]).toEqual([
      'fred',
      'fred',
    ]);
    expect(await tokens.list()).toEqual([]);
  });

  it('proves its user until the moment of its end, and from then on nobody', async () => {
    const { clock, session, asked, proves } = await fredsTokens();
    clock.advance(999);
    expect(await asked('check', 'session', session)).toBe('fred');
    expect(await proves(session)).toMatchObject({ ok: true, value: { principal: { kind: 'token', name: 'fred' } } });
    clock.advance(1);
    expect(await asked('check', 'session', session)).toBe('bad_credential');
    expect(await proves(session)).toMatchObject(REFUSED);
  });
});

it('a user whose name no grant could hold is let in by no back end; one of 255 characters is', async () => {
  const users = join(folder, 'users');
  const [long, tooLong] = ['u'.repeat(255), 'u'.repeat(256)];
  writeFileSync(users, `${long}:one\n${tooLong}:one\n`);
  const { login } = loginsWith({ file: { '^filename': users } });
  expect(await login('file', long, 'one')).toMatchObject({ ok: true, value: { principal: { name: long } } });
  expect(await login('file', tooLong, 'one')).toMatchObject(REFUSED);
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

  /** Logins at a directory that takes connections and says nothing; resolves when it has so many. */
  const atSilent = async (names: readonly string[], looks: number) => {
    const sockets = new Set<Socket>();
    let reached: () => void = () => undefined;
    const silent = new Promise<void>((resolve) => (reached = resolve));
    let isOver = false;
    const uri = await servers.start((socket) => {
      sockets.add(socket.on('error', () => undefined));
      if (sockets.size === looks) reached();
      if (isOver) socket.destroy();
    });
    const settings = { auth_ldap: { uri, basedn: 'dc=x', binddn: 'uid={{ username }},dc=x' } };
    const { login } = loginsWith({ ldap: {}, auto: {} }, { ...settings, eauth_auto_for_development: true });
    const all = Promise.all(names.map((name) => login('ldap', name, 'one')));
    await silent;
    const end = () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
      return all;
    };
    return { login, end };
  };

  it('of one account wait in nobody’s way', async () => {
    const { login, end } = await atSilent(Array<string>(MAX_AT_ONCE).fill('fred'), 10);
    const other = await login('auto', 'zoe', 'one', '192.0.2.2');
    const all = await end();
    expect(other).toMatchObject({ ok: true });
    expect(all).toMatchObject(Array(MAX_AT_ONCE).fill(REFUSED));
  });

  it('of one address leave room for those of another, however slow the back end is', async () => {
    const names = Array.from({ length: MAX_AT_ONCE }, (_, n) => `fred${String(n)}`);
    const { login, end } = await atSilent(names, MAX_AT_ONCE / 2);
    const other = await login('auto', 'zoe', 'one', '192.0.2.2');
    const all = await end();
    expect(other).toMatchObject({ ok: true });
    expect(all).toMatchObject(Array(MAX_AT_ONCE).fill(REFUSED));
  });

  it('at once are counted and not recorded; each that was looked at and failed is recorded', async () => {
    const { codeOf, recorded, counted } = auto();
    const names = Array.from({ length: MAX_OF_ADDRESS + 3 }, (_, n) => `no name \n${String(n)}`);
    const codes = await Promise.all(names.map((name) => codeOf(name, 'role')));
    expect(codes.filter((code) => code === 'slow_down')).toHaveLength(3);
    expect(codes.filter((code) => code === 'bad_credential')).toHaveLength(MAX_OF_ADDRESS);
    expect(counted).toEqual(['slow_down', 'slow_down', 'slow_down']);
    expect(recorded).toEqual(Array.from({ length: MAX_OF_ADDRESS }, () => 'refuse'));
  });

  it('that find no place are not noted in the store, and may be asked again; the others are', async () => {
    const store = new MemoryStore('tokens');
    const own = { once: new OnceOnly(store, () => NOW) } as unknown as Own;
    const { logins } = loginsWith({ auto: {} }, { eauth_auto_for_development: true }, own);
    const ids = Array.from({ length: MAX_OF_ADDRESS + 3 }, (_, n) => `id ${String(n)}`);
    const all = await Promise.all(ids.map((id) => logins.handle(loginOfFred(id))));
    const told = all.map((answer) => answer.refusal?.code);
    expect(told.filter((code) => code === 'slow_down')).toHaveLength(3);
    expect(await store.list('o.*')).toHaveLength(MAX_OF_ADDRESS);
    const again = await logins.handle(loginOfFred(ids[told.indexOf('slow_down')] ?? ''));
    expect(again.refusal).toBeNull();
  });

  it('of an account that is locked are not noted in the store, and count for their address; another account’s are', async () => {
    const store = new MemoryStore('tokens');
    const own = { once: new OnceOnly(store, () => NOW) } as unknown as Own;
    writeFileSync(join(folder, 'flooded'), 'fred:right\nzoe:right\n');
    const file = { '^filename': join(folder, 'flooded'), '^filetype': 'text', '^hashtype': 'plaintext' };
    const steady = { now: () => 0, pause: () => Promise.resolve() };
    const { logins } = loginsWith({ file }, {}, own, steady);
    let asked = 0;
    const login = async (username: string, secret: string) => {
      const { body, party } = loginOfFred(`id ${String((asked += 1))}`);
      const credential = { ...body.credential, eauth: 'file', username, secret };
      return (await logins.handle({ body: { ...body, credential }, party })).refusal?.code;
    };
    const failed = async (times: number) => {
      for (let n = 0; n < times; n += 1) expect(await login('fred', 'wrong')).toBe('bad_credential');
      return (await store.list('o.*')).length;
    };
    expect([await failed(10), await failed(89)]).toEqual([10, 10]);
    expect([await login('zoe', 'right'), (await store.list('o.*')).length]).toEqual([undefined, 11]);
    expect([await failed(1), await login('zoe', 'right')]).toEqual([11, 'bad_credential']);
    expect(await store.list('o.*')).toHaveLength(11);
  });
});
