/** Several lowstates in one request: none is sent before all are read, and of what has begun no answer says that nothing was sent. */
import { NO_TRACING } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import {
  type Follow,
  NO_NEWS,
  type PeerPublish,
  type PeerRun,
  type Ran,
  type SignedRequest,
  type Tell,
} from '@natrium/flow';
import { type Refusal, refusal, type ValueMap } from '@natrium/model';
import { type HttpException, ServiceUnavailableException } from '@nestjs/common';
import type { Request, Response } from 'express';
import pino from 'pino';
import type { EventFeed } from '../event-feed.js';
import { Api } from './api.js';
import { Clients } from './clients.js';
import type { EventStreams } from './event-streams.js';
import { CLIENTS } from './lowstate.js';
import { Refusals } from '../callers/refusals.js';
import { MasterCalls } from './master-calls.js';
import { type Sessions, unproved } from './sessions.js';

const AWAY = refusal('acl_unavailable', 'no acl-service decided in time (timeout): nothing was sent');
const FULL = refusal('store_unavailable', 'no job id could be had, so nothing was sent: no room');
const DENIED = refusal('not_permitted', 'token fred may not run it');
const ENDED = refusal('bad_credential', 'the login has expired or was revoked; log in again');
const BAD_TARGET = refusal('invalid_target', 'the target cannot be read');
const TOKEN = 'f'.repeat(64);
const RES = { getHeader: () => 'id-1' } as unknown as Response;
const SESSION = 'f'.repeat(40);
const REQ = { headers: { 'x-auth-token': SESSION } } as unknown as Request;

beforeAll(sodiumReady);

interface Script {
  /** What the gate says to each job or run that it is asked for, one after the other; where it says nothing, it lets it. */
  readonly gate?: readonly (Refusal | undefined)[];
  /** The budget of the caller: whether it may ask, the first time, the second and so on. */
  readonly budget?: readonly boolean[];
  /** What a granted run comes to. */
  readonly ran?: Refusal;
  readonly login?: readonly (HttpException | undefined)[];
  readonly check?: readonly (HttpException | undefined)[];
}

/** The doors `POST /` and `/run` over such a gate. `sent` is what was sent, in its order. */
function doors({ gate = [], budget = [], ran, login = [], check = [] }: Script) {
  const [says, mayAsk, logins, checks] = [[...gate], [...budget], [...login], [...check]];
  const [sent, forgotten]: [string[], string[]] = [[], []];
  let [ms, pauses] = [0, 0];
  const jid = () => `2026112014164600000${String(sent.length)}`;
  const publish = (
    { request: { funs, tgt } }: SignedRequest,
    _peer: boolean,
    follow: Follow,
    tell: Tell,
  ): Promise<void> => {
    const minions = follow === 'preview' ? ['a', 'b', 'c'] : [tgt].flat();
    const refused = follow === 'preview' ? undefined : says.shift();
    if (refused !== undefined) tell({ ...NO_NEWS, refusal: refused });
    else {
      if (follow !== 'preview') sent.push(`${funs.join()} ${minions.join()}`);
      const returns = minions.map((id) => ({ id, ret: 'done', retcode: 0, success: true, out: null }));
      tell({ ...NO_NEWS, started: { jid: jid(), minions, missing: [], rule: '' }, returns, end: [] });
    }
    return Promise.resolve();
  };
  const run = ({ request: { funs } }: SignedRequest, _follow: string, tell: (news: Ran) => void, granted: (jid: string) => void) => {
    const refused = says.shift();
    if (refused !== undefined) tell({ refusal: refused, jid: jid(), outcome: null });
    else {
      sent.push(funs.join());
      granted(jid());
      const outcome = { ret: 'done', retcode: 0, success: true, out: null };
      tell(ran === undefined ? { refusal: null, jid: jid(), outcome } : { refusal: ran, jid: jid(), outcome: null });
    }
    return Promise.resolve();
  }; // prettier-ignore
  const refusals = new Refusals();
  const calls = new MasterCalls({
    publish: { handle: publish } as unknown as PeerPublish,
    run: { handle: run } as unknown as PeerRun,
    now: () => 1_795_000_000_000,
    tracing: NO_TRACING,
    allowance: { take: () => mayAsk.shift() ?? true },
    refusals,
  });
  const enabled = { clients: new Set(CLIENTS), timeout: 5, restTimeout: 300 };
  const pause = (time: number) => {
    [ms, pauses] = [ms + time, pauses + 1];
    return Promise.resolve();
  };
  const sessions = {
    login: () => orThrow(logins.shift(), { token: TOKEN }),
    logout: () => Promise.resolve(),
    bill: () => ({ pay: () => undefined, repay: () => undefined }),
    knows: () => true,
    forget: (token: string) => forgotten.push(token),
    check: () => orThrow(checks.shift(), { name: 'fred' }),
  };
  const api = new Api({
    sessions: sessions as unknown as Sessions,
    clients: new Clients(calls, enabled, { now: () => ms, pause }),
    streams: {} as EventStreams,
    feed: {} as EventFeed,
    openHook: false,
    openStats: false,
    maxEventBytes: 1000,
    refusals,
    log: pino({ enabled: false }),
  });
  return {
    sent,
    forgotten,
    refusals: () => Object.fromEntries(refusals.counts),
    pauses: () => pauses,
    root: async (...lows: readonly ValueMap[]) => api.runAll(lows, await api.callerOf(REQ, RES)),
    run: (...lows: readonly ValueMap[]) => api.runSessionless({ ...REQ, ...bodyOf(lows) } as Request, RES),
  };
}

function bodyOf(value: readonly ValueMap[]) {
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

function orThrow<T>(error: HttpException | undefined, value: T): Promise<T> {
  return error === undefined ? Promise.resolve(value) : Promise.reject(error);
}

const low = (client: string, more: ValueMap = {}): ValueMap => ({ client, tgt: 'a', fun: 'test.ping', ...more });
const OWN = { username: 'fred', password: 'x', eauth: 'file' };
const [FIRST, SECOND] = [low('local'), low('local', { tgt: 'b' })];
/** Both doors with the same two lowstates. */
const DOORS = [
  ['/', (given: ReturnType<typeof doors>, lows: readonly ValueMap[]) => given.root(...lows)],
  ['/run with a token', (given: ReturnType<typeof doors>, lows: readonly ValueMap[]) => given.run(...lows.map((one) => ({ ...one, token: TOKEN })))],
  ['/run with credentials', (given: ReturnType<typeof doors>, lows: readonly ValueMap[]) => given.run(...lows.map((one) => ({ ...one, ...OWN })))],
] as const; // prettier-ignore

describe.each(DOORS)('a lowstate behind another at %s', (_door, ask) => {
  it.each<[string, ValueMap]>([
    ['no client', { client: 'x' }],
    ['no function', { fun: null }],
    ['no target', { tgt: null }],
    ['a batch of nobody', { client: 'local_batch', batch: '0' }],
    ['a wait that is none', { client: 'local_batch', batch_wait: 'soon' }],
    ['a subset of nobody', { client: 'local_subset', subset: 0 }],
    ['a time that is none', { client: 'runner', timeout: 'soon' }],
    ['more functions than a request holds', { fun: new Array<string>(65).fill('test.ping') }],
    ['more arguments than a request holds', { client: 'runner', arg: new Array<number>(300).fill(1) }],
  ])('that has %s is 400, and nothing is sent', async (_about, wrong) => {
    const given = doors({});
    await expect(ask(given, [FIRST, { ...SECOND, ...wrong }])).rejects.toMatchObject({ status: 400 });
    expect(given.sent).toEqual([]);
  });

  it.each<[string, Script]>([
    ['no acl-service decides', { gate: [undefined, AWAY, AWAY] }],
    ['the store takes nothing', { gate: [undefined, FULL] }],
    ['the caller has no budget', { budget: [true, false, false] }],
  ])('is asked for again while %s, and both are answered', async (_about, script) => {
    const given = doors(script);
    expect(await ask(given, [FIRST, SECOND])).toEqual([{ a: 'done' }, { b: 'done' }]);
    expect(given.sent).toEqual(['test.ping a', 'test.ping b']);
    expect(given.pauses()).toBe((script.gate ?? script.budget ?? []).length - 1);
  });

  it('is 504 with the jid of the first where nobody decides for half a minute', async () => {
    const given = doors({ gate: [undefined, ...new Array<Refusal>(99).fill(AWAY)] });
    const heard = await ask(given, [FIRST, SECOND, FIRST]).catch((cause: unknown) => cause);
    expect(heard).toMatchObject({
      status: 504,
      message: expect.stringContaining('jid 20261120141646000001.') as string,
    });
    expect(given.sent).toEqual(['test.ping a']);
    expect(given.pauses()).toBe(30);
  });

  it.each([
    [DENIED, 401],
    [BAD_TARGET, 400],
  ])('that is refused (%j) is %d, once, and the sentence names the jid of the first', async (refused, status) => {
    const given = doors({ gate: [undefined, refused] });
    const heard = await ask(given, [FIRST, SECOND]).catch((cause: unknown) => cause);
    expect(heard).toMatchObject({ status, message: expect.stringMatching(/jid 20261120141646000001\..*(?:may not run|cannot be read)/) as string }); // prettier-ignore
    expect([given.sent, given.pauses()]).toEqual([['test.ping a'], 0]);
  });

  it('is 503 at once where the first was not sent', async () => {
    const given = doors({ gate: [AWAY] });
    await expect(ask(given, [FIRST, SECOND])).rejects.toMatchObject({ status: 503, message: AWAY.sentence });
    expect([given.sent, given.pauses()]).toEqual([[], 0]);
  });
});

it('a token that has ended, as the gate says, is nobody’s from then on; one that may not do a thing stays whose it is', async () => {
  for (const [refused, forgotten] of [
    [ENDED, [SESSION]],
    [DENIED, []],
  ] as const) {
    const given = doors({ gate: [refused] });
    await expect(given.root(FIRST)).rejects.toMatchObject({ status: 401, message: refused.sentence });
    expect(given.refusals()).toEqual({ [refused.code]: 1 });
    expect([given.sent, given.forgotten]).toEqual([[], forgotten]);
  }
});

describe('what has begun is not denied', () => {
  it('by a batch whose next part nobody decides on', async () => {
    const batch = low('local_batch', { tgt: '*', batch: 1 });
    const soon = doors({ gate: [undefined, AWAY] });
    expect(await soon.root(batch)).toEqual([{ a: 'done' }, { b: 'done' }, { c: 'done' }]);
    expect(soon.sent).toEqual(['test.ping a', 'test.ping b', 'test.ping c']);
    const never = doors({ gate: [undefined, ...new Array<Refusal>(99).fill(AWAY)] });
    await expect(never.root(batch)).rejects.toMatchObject({ status: 504 });
    expect(never.sent).toEqual(['test.ping a']);
  });

  it('by many jobs of which the first were within the budget', async () => {
    const given = doors({ budget: [true, true, false, true] });
    const jobs = await given.root(...['a', 'b', 'c'].map((tgt) => low('local_async', { tgt })));
    expect(jobs).toEqual(given.sent.map((_, index) => ({ jid: expect.any(String) as string, minions: [['a', 'b', 'c'][index]] }))); // prettier-ignore
    expect(given.sent).toHaveLength(3);
  });

  it('by a run that is not granted yet, nor by one whose caller is not known yet', async () => {
    const busy = new ServiceUnavailableException('No acl-service answered');
    for (const script of [{ gate: [undefined, AWAY] }, { check: [busy] }]) {
      const given = doors(script);
      const [, answer] = await given.root(FIRST, low('wheel', { fun: 'key.list_all' }));
      expect(answer).toMatchObject({ data: { return: 'done', user: 'fred' } });
      expect([given.sent, given.pauses()]).toEqual([['test.ping a', 'key.list_all'], 1]);
    }
  });

  it('by a login of /run that nobody answers, and by one that is refused', async () => {
    const busy = new ServiceUnavailableException('No acl-service answered');
    const both = [FIRST, SECOND].map((one) => ({ ...one, ...OWN }));
    const given = doors({ login: [undefined, busy] });
    expect(await given.run(...both)).toEqual([{ a: 'done' }, { b: 'done' }]);
    await expect(doors({ login: [undefined, unproved()] }).run(...both)).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('jid 2026') as string,
    });
  });

  it('by a look at the session of a lowstate that the gate found malformed', async () => {
    const given = doors({ gate: [undefined, BAD_TARGET], check: [new ServiceUnavailableException()] });
    await expect(given.root(FIRST, SECOND)).rejects.toMatchObject({ status: 400 });
    const alone = doors({ gate: [BAD_TARGET], check: [unproved()] });
    await expect(alone.root(FIRST)).rejects.toMatchObject({ status: 401 });
  });

  it.each(['runner', 'wheel'])('by a lost answer of the %s: 504 with its jid, and it runs once', async (client) => {
    const given = doors({ ran: refusal('acl_unavailable', 'no acl-service answered; look whether it was done') });
    await expect(given.root(low(client, { fun: 'key.delete' }))).rejects.toMatchObject({
      status: 504,
      message: expect.stringMatching(/jid 20261120141646000001\..*look whether it was done/) as string,
    });
    expect([given.sent, given.pauses()]).toEqual([['key.delete'], 0]);
  });

  it('by a runner that is not there: it is 500 as ever, and names nothing where nothing was begun', async () => {
    const none = refusal('unknown_runner', 'there is no runner x.y');
    const given = doors({ ran: none });
    await expect(given.root(low('runner'))).rejects.toMatchObject({ status: 500, message: none.sentence });
    await expect(given.root(FIRST, low('runner'))).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('jid 2026') as string,
    });
  });

  it('by a job that nobody matched: nothing of it was sent', async () => {
    const given = doors({ gate: [undefined, AWAY] });
    await expect(given.root(low('local', { tgt: [], tgt_type: 'list' }), SECOND)).rejects.toMatchObject({
      status: 503,
    });
  });

  it('in a sentence of any length', async () => {
    const given = doors({ gate: [...new Array<undefined>(120).fill(undefined), DENIED] });
    const heard = await given
      .root(...new Array<ValueMap>(121).fill(low('local_async')))
      .catch((cause: unknown) => cause);
    expect(heard).toMatchObject({ message: expect.stringContaining(' and 20 more.') as string });
    expect((heard as Error).message.length).toBeLessThan(3000);
  });
});
