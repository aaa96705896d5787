/** Who asks about a session, and how often. */
import { jest } from '@jest/globals';
import { SILENT_MS } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import { HttpException } from '@nestjs/common';
import { Refusals } from '../callers/refusals.js';
import { allowanceOf, authorityOf } from './logins.spec-support.js';
import { type Purse, type Session, Sessions } from './sessions.js';

const FROM = { address: '192.0.2.7', about: 'r1' };
const ELSEWHERE = { ...FROM, address: '192.0.2.8' };
const GOOD = 'a'.repeat(40);
const MOST = 3;
const NOW = 1_000_000;
const tried = (n: number) => n.toString(16).padStart(40, '0');

beforeAll(sodiumReady);

type Bus = ReturnType<typeof authorityOf>;

/**
 * An acl-service that knows one token, which it gives to whoever logs in, and a gateway where each caller has so many requests.
 *
 * @param through The broker between them.
 */
function aGateway(through: (bus: Bus) => Bus = (bus) => bus) {
  const asked: string[] = [];
  const bus = authorityOf(({ token, secret }) => {
    asked.push(secret === '' ? token : secret);
    const refusal = secret !== '' || token === GOOD ? null : { code: 'bad_credential', sentence: 'no' };
    return { refusal, token: GOOD, session: refusal === null ? { name: 'fred' } : null };
  });
  const link = {
    bus: through(bus),
    subjects: { svcAcl: () => '' },
    directory: { role: () => [] },
    // This host's own is wrong by years.
    clock: { now: () => NOW },
  };
  const allowance = allowanceOf(new Budget({ rate: 1, burst: MOST }));
  const refusals = new Refusals();
  const counted = () => Object.fromEntries(refusals.counts);
  return { asked, counted, sessions: new Sessions(link as unknown as RoleLink, allowance, refusals) };
}

const FRED = { eauth: 'file', username: 'fred', secret: 'x', expire: null, use: 'session' } as const;

it.each<[string, (sessions: Sessions) => Promise<unknown>, string]>([
  ['whether a token counts', (sessions) => sessions.check(GOOD, FROM), GOOD],
  ['a login', (sessions) => sessions.login(FRED, FROM), 'x'],
  ['the end of a session', (sessions) => sessions.logout(GOOD, FROM), GOOD],
])('%s is asked of another acl-service where one stands still', async (_what, ask, token) => {
  jest.useFakeTimers();
  let times = 0;
  const { asked, sessions } = aGateway((bus) => ({
    ...bus,
    converse: (...question) => {
      times += 1;
      return times === 1 ? () => undefined : bus.converse(...question);
    },
  }));
  try {
    const done = ask(sessions);
    await jest.advanceTimersByTimeAsync(SILENT_MS);
    await done;
    expect([times, asked]).toEqual([2, [token]]);
  } finally {
    jest.useRealTimers();
  }
});

it('an address that tries too many tokens is told so, and nobody is asked; another address is heard', async () => {
  const { asked, sessions } = aGateway();
  for (let n = 0; n < MOST; n += 1) await expect(sessions.check(tried(n), FROM)).rejects.toMatchObject({ status: 401 });
  await expect(sessions.check(tried(MOST), FROM)).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(MOST);
  await expect(sessions.check(tried(MOST), ELSEWHERE)).rejects.toMatchObject({ status: 401 });
});

it('a session lives until its end by the clock of the acl-service', () => {
  const { sessions } = aGateway();
  const left = (expire: number) => sessions.leftOf({ expire } as Session);
  expect([left(NOW + 7000), left(NOW), left(NOW - 1)]).toEqual([7000, 0, 0]);
});

it('many tries at once are no more than one after the other', async () => {
  const { asked, sessions } = aGateway();
  const tries = Array.from({ length: 4 * MOST }, (_, n) =>
    sessions.check(tried(n), FROM).catch((cause: unknown) => cause),
  );
  const heard = (await Promise.all(tries)).map((cause) => (cause instanceof HttpException ? cause.getStatus() : 0));
  expect([heard.filter((status) => status === 401).length, heard.filter((status) => status === 503).length]).toEqual([MOST, 3 * MOST]); // prettier-ignore
  expect(asked).toHaveLength(MOST);
});

it('those who come at once with a session that is new here wait for one look at it, which costs their address one try', async () => {
  const { asked, sessions } = aGateway();
  await Promise.all(Array.from({ length: 4 * MOST }, () => sessions.check(GOOD, FROM)));
  expect(asked).toEqual([GOOD]);
  for (let n = 1; n < MOST; n += 1) await expect(sessions.check(tried(n), FROM)).rejects.toMatchObject({ status: 401 });
  await expect(sessions.check(tried(MOST), FROM)).rejects.toMatchObject({ status: 503 });
});

it('an address of which too many tries at once made nobody known owes the rest: until time has brought it, it is not listened to, which is told once', () => {
  let seconds = 0;
  const told: string[] = [];
  const budget = new Budget({ rate: 1, burst: MOST }, (payer) => told.push(payer));
  const allowance = allowanceOf(budget, () => seconds * 1000);
  const sessions = new Sessions({} as RoleLink, allowance, new Refusals());
  const tries = (from = FROM) => () => sessions.mayTry(from); // prettier-ignore
  for (let n = 0; n < 4 * MOST; n += 1) tries()();
  for (let n = 0; n < 4 * MOST; n += 1) sessions.failed(FROM);
  for (seconds of [0, 1, 3 * MOST]) expect(tries()).toThrow('too many requests');
  expect(tries(ELSEWHERE)).not.toThrow();
  seconds += 1;
  expect(tries()).not.toThrow();
  expect(told).toEqual([`stranger ${FROM.address}`]);
});

it('all addresses of a /64 of IPv6 are one, and those of another network are others', async () => {
  const { sessions } = aGateway();
  const from = (address: string) => ({ ...FROM, address });
  for (let n = 0; n < MOST; n += 1)
    await expect(sessions.check(tried(n), from(`2001:db8::${String(n)}`))).rejects.toMatchObject({ status: 401 });
  await expect(sessions.check(tried(MOST), from('2001:db8::9'))).rejects.toMatchObject({ status: 503 });
  await expect(sessions.check(tried(MOST), from('2001:db8:0:1::9'))).rejects.toMatchObject({ status: 401 });
});

it('knows a token that was good when it was looked at or issued here, until it has ended', async () => {
  const { sessions } = aGateway();
  for (const prove of [() => sessions.login(FRED, FROM), () => sessions.check(GOOD, ELSEWHERE)]) {
    expect(sessions.knows(GOOD)).toBe(false);
    await prove();
    expect(sessions.knows(GOOD)).toBe(true);
    sessions.forget(GOOD);
  }
  await sessions.check(GOOD, ELSEWHERE);
  await sessions.logout(GOOD, ELSEWHERE);
  await sessions.check(tried(1), ELSEWHERE).catch(() => undefined);
  expect([sessions.knows(GOOD), sessions.knows(tried(1))]).toEqual([false, false]);
});

it('who ends tokens that nobody has is counted as who tries them; what the gateway ends by itself is not', async () => {
  const { asked, sessions } = aGateway();
  for (let n = 0; n < MOST; n += 1)
    await expect(sessions.logout(tried(n), FROM)).rejects.toMatchObject({ status: 401 });
  await expect(sessions.logout(tried(MOST), FROM)).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(MOST);
  await sessions.logout(GOOD, FROM, false);
});

it('YAML of a stranger costs his address by its length, of each purse its own; a few words of it cost nothing', () => {
  const { sessions } = aGateway();
  for (let n = 0; n <= 2 * MOST; n += 1) sessions.bill('stranger', FROM).pay(256);
  sessions.bill('stranger', FROM).pay(256 + 64 * MOST);
  const again =
    (purse: Purse, from = FROM) =>
    () => {
      sessions.bill(purse, from).pay(257);
    };
  expect(again('stranger')).toThrow('too many requests');
  expect(again('stranger', ELSEWHERE)).not.toThrow();
  expect(again('address')).not.toThrow();
  expect(() => {
    sessions.bill('address', ELSEWHERE).pay(65_537);
  }).toThrow('So much YAML');
});

it('who proves to be somebody gets back what his YAML has cost, once and no more; nobody else does', () => {
  const { sessions } = aGateway();
  const [proved, nobody] = [sessions.bill('stranger', FROM), sessions.bill('stranger', FROM)];
  nobody.pay(256 + 64);
  proved.pay(256 + 64);
  proved.pay(256 + 64);
  for (let n = 0; n < MOST; n += 1) proved.repay();
  const again = sessions.bill('stranger', FROM);
  again.pay(256 + 64 * 2);
  expect(() => {
    again.pay(257);
  }).toThrow('too many requests');
});

it('YAML of a session costs it a call for each KiB, which it may come to owe; less of it, and what others send, costs nothing', () => {
  const { sessions } = aGateway();
  const reads = (length: number, token = GOOD) => () => sessions.toll(token)(length); // prettier-ignore
  for (let n = 0; n <= 2 * MOST; n += 1) reads(1023)();
  reads(1024 * (MOST - 1))();
  expect(reads(1024)).not.toThrow();
  expect(reads(1024)).toThrow('too many requests');
  expect(reads(1023)).not.toThrow();
  expect(reads(1024, tried(1))).not.toThrow();
  reads(1 << 20, tried(2))();
  expect(reads(1024, tried(2))).toThrow('too many requests');
});

it('a session that lives is none of that, however many come from its address by a proxy; it has a budget of its own', async () => {
  const { asked, sessions } = aGateway();
  await sessions.check(GOOD, FROM);
  for (let n = 0; n <= MOST; n += 1) await sessions.check(tried(n), FROM).catch(() => undefined);
  const before = asked.length;
  for (let n = 0; n < MOST; n += 1) expect(await sessions.check(GOOD, FROM)).toEqual({ name: 'fred' });
  await expect(sessions.check(GOOD, FROM)).rejects.toMatchObject({ status: 503 });
  expect(asked.length - before).toBe(MOST);
});

it('what the gateway looks at by itself is not counted', async () => {
  const { sessions } = aGateway();
  for (let n = 0; n <= 2 * MOST; n += 1) expect(await sessions.check(GOOD, FROM, false)).toEqual({ name: 'fred' });
});

it('who needs no session is counted by his address', () => {
  const { sessions } = aGateway();
  for (let n = 0; n < MOST; n += 1) sessions.count(FROM);
  expect(() => {
    sessions.count(FROM);
  }).toThrow('too many requests');
  sessions.count(ELSEWHERE);
});

describe('of refusals that clients hear before anything is asked of the gate', () => {
  const noBody = (bus: Bus): Bus => ({
    ...bus,
    converse: (_question, _answers, _silentMs, hear) => {
      queueMicrotask(() => {
        hear.onFailure('timeout');
      });
      return () => undefined;
    },
  });

  it.each<[string, (sessions: Sessions) => Promise<unknown>]>([
    ['a look at a token', (sessions) => sessions.check(GOOD, FROM)],
    ['a login', (sessions) => sessions.login(FRED, FROM)],
    ['the end of a session', (sessions) => sessions.logout(GOOD, FROM)],
  ])('%s without an acl-service is counted, for each who waits', async (_what, ask) => {
    const { counted, sessions } = aGateway(noBody);
    const heard = await Promise.allSettled([ask(sessions), ask(sessions)]);
    expect(heard.map((one) => one.status === 'rejected' && (one.reason as HttpException).getStatus())).toEqual([503, 503]); // prettier-ignore
    expect(counted()).toEqual({ acl_unavailable: 2 });
  });

  it('each that is too fast is counted, and neither who is heard nor who is nobody', async () => {
    const { counted, sessions } = aGateway();
    await sessions.check(GOOD, ELSEWHERE);
    for (let n = 0; n < MOST; n += 1) await sessions.check(tried(n), FROM).catch(() => undefined);
    expect(counted()).toEqual({});
    await sessions.check(tried(MOST), FROM).catch(() => undefined);
    for (let n = 0; n < MOST; n += 1) sessions.failed(FROM);
    const more = [
      () => {
        sessions.count(FROM);
      },
      () => {
        sessions.mayTry(FROM);
      },
      () => {
        sessions.bill('stranger', FROM).pay(1024);
      },
      () => {
        sessions.toll(GOOD)(1024);
      },
    ];
    sessions.toll(GOOD)(1 << 20);
    for (const one of more) expect(one).toThrow('too many requests');
    expect(counted()).toEqual({ slow_down: 1 + more.length });
  });

  it('what an acl-service refuses for now is counted as it says', async () => {
    const busy = authorityOf(() => ({
      refusal: { code: 'slow_down', sentence: 'too many' },
      token: '',
      session: null,
    }));
    const { counted, sessions } = aGateway(() => busy);
    await expect(sessions.login(FRED, FROM)).rejects.toMatchObject({ status: 503 });
    expect(counted()).toEqual({ slow_down: 1 });
  });

  it('what the gateway asks by itself is told to nobody', async () => {
    const { counted, sessions } = aGateway(noBody);
    await expect(sessions.check(GOOD, FROM, false)).rejects.toMatchObject({ status: 503 });
    await expect(sessions.logout(GOOD, FROM, false)).rejects.toMatchObject({ status: 503 });
    expect(counted()).toEqual({});
  });
});
