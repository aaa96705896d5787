/** Rules of what the bus says of jobs and runs: Salt's tags and payloads. */
import { encodeRequest, sodiumReady, type Wire } from '@natrium/envelope';
import type { Ran, RunStart } from '@natrium/flow';
import { LocalBus } from '@natrium/events';
import { jidTime, parseJid, type Principal, type ValueMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import { askerOfRun, JobEvents, NOT_KEPT, ORIGIN } from './job-events.js';

type WireMap = Readonly<Record<string, Wire>>;

const JID = parseJid('20261120141646000001')!;
const CALLER = { kind: 'account', name: 'alice' } as const;

let said: ReadonlyMap<string, ValueMap>;
let events: JobEvents;
/** By how much what keeps events is behind the gateway that gave the jid. */
let behindMs: number;
beforeAll(sodiumReady);
beforeEach(() => {
  const heard = new Map<string, ValueMap>();
  said = heard;
  behindMs = -1000;
  const bus = new LocalBus('local', () => jidTime(JID) - behindMs);
  events = new JobEvents(
    Object.assign(bus, { announce: (tag: string, data: ValueMap) => heard.set(tag, data) }),
    1 << 20,
  );
});

const asked = (options: WireMap, arg: readonly Wire[] = []) =>
  encodeRequest({
    id: new Uint8Array(16), what: 'job', funs: ['test.ping'], args: [arg], tgt: '*', tgtType: 'glob', returner: '',
    returnerOptions: {}, timeout: 5, options, issued: 1, lifetime: 1,
  }); // prettier-ignore

function returned(options: WireMap, arg?: readonly Wire[]): ValueMap | undefined {
  const record = { request: asked(options, arg), jid: JID, caller: CALLER } as unknown as records.JobRecord;
  const outcome = { ret: true, retcode: 0, success: true, out: null };
  events.returned(record, { jid: JID, id: 'web1', outcome } as unknown as records.StoredReturn);
  return said.get(`salt/job/${JID}/ret/web1`);
}

it('a return tells what the caller attached to the job, and nothing where that was nothing', () => {
  expect(returned({ metadata: { action: 7 } })).toMatchObject({ id: 'web1', return: true, metadata: { action: 7 } });
  expect(Object.keys(returned({}) ?? {})).not.toContain('metadata');
});

it('a return tells keywords as a map, without a marker; the job itself is told as it was sent', () => {
  const sent = ['x', { __kwarg__: true, k: 'v' }];
  expect(returned({}, sent)?.['fun_args']).toEqual(['x', { k: 'v' }]);
  const record = { request: asked({}, sent), jid: JID, caller: CALLER, members: [], missing: [] };
  events.started(record as unknown as records.JobRecord);
  expect(said.get(`salt/job/${JID}/new`)?.['arg']).toEqual(sent);
});

describe('what is larger than an event may be', () => {
  const LARGE = 'x'.repeat(120_000);
  const CALL = Array.from({ length: 10 }, () => LARGE);

  it('is told by no return of its job: arguments are trimmed once for all of them, and each return stands', () => {
    expect(returned({}, CALL)).toMatchObject({ fun: 'test.ping', fun_args: 'VALUE_TRIMMED', return: true });
    expect(returned({}, CALL.slice(0, 8))).toMatchObject({ fun_args: CALL.slice(0, 8) });
  });

  it('is not left out of what a run kept: its arguments are trimmed, and what it returned stands', () => {
    const start = { request: { what: 'run', funs: ['test.arg'], args: [CALL], options: {} }, jid: JID, caller: CALLER };
    const outcome = { ret: 'small', retcode: 0, success: true, out: null, notes: [] };
    const ran = { refusal: null, outcome } as unknown as Ran;
    expect(events.endOf(start as unknown as RunStart, ran)).toMatchObject({
      fun: 'runner.test.arg',
      fun_args: 'VALUE_TRIMMED',
      return: 'small',
    });
  });
});

it.each(['run', 'wheel'] as const)('a %s tells its keywords as a map, without a marker', (what) => {
  const request = { what, funs: ['test.arg'], args: [['x', { __kwarg__: true, k: 'v' }]], options: {} };
  events.runStarted({ request, jid: JID, caller: CALLER } as unknown as RunStart);
  const data = said.get(`salt/${what}/${JID}/new`);
  expect(data).toMatchObject({ user: 'alice' });
  expect(data?.['fun_args']).toEqual(['x', { k: 'v' }]);
});

describe('who asked for a run', () => {
  const told = (kind: Principal['kind'], what: 'run' | 'wheel' = 'run') => {
    const request = { what, funs: ['test.arg'], args: [[]], options: {} };
    events.runStarted({ request, jid: JID, caller: { kind, name: 'alice' } } as unknown as RunStart);
    const tag = `salt/${what}/${JID}/new`;
    return { tag, data: said.get(tag) ?? {}, origin: ORIGIN };
  };

  it.each(['run', 'wheel'] as const)('is told by the events of a %s where it was a user of external_auth', (what) => {
    expect(askerOfRun(told('token', what))).toEqual({ kind: 'token', name: 'alice' });
    expect(askerOfRun(told('external', what))).toEqual({ kind: 'external', name: 'alice' });
  });

  it.each(['account', 'minion'] as const)('is nobody who listens there where it was a %s of the same name', (kind) => {
    expect(askerOfRun(told(kind))).toBeUndefined();
  });

  it('is not what anybody else’s event says, nor one under another tag', () => {
    const event = told('token');
    expect(askerOfRun({ ...event, origin: { kind: 'minion', name: 'gateway' } })).toBeUndefined();
    expect(askerOfRun({ ...event, origin: { kind: 'service', name: 'runner' } })).toBeUndefined();
    expect(askerOfRun({ ...event, tag: `mine/${JID}/ret` })).toBeUndefined();
  });
});

describe('the end of a run', () => {
  const SECRET = { web1: { password: 'hunter2' } };
  const ended = (what: 'run' | 'wheel', fun: string, ran: Partial<Ran>) => {
    const request = { what, funs: [fun], args: [['web1']], options: {} };
    return events.endOf({ request, jid: JID, caller: CALLER } as unknown as RunStart, ran as Ran);
  };
  const succeeded = { refusal: null, outcome: { ret: SECRET, retcode: 0, success: true, out: null, notes: [] } };

  it('tells no pillar: of cache.pillar only that it was read, and by whom', () => {
    expect(ended('run', 'cache.pillar', succeeded)).toEqual({
      fun: 'runner.cache.pillar',
      jid: JID,
      user: 'alice',
      fun_args: ['web1'],
      return: NOT_KEPT,
      success: true,
    });
  });

  it.each([
    ['run', 'cache.grains'],
    ['run', 'jobs.list_jobs'],
    ['wheel', 'cache.pillar'],
  ] as const)('tells what another returned: %s %s', (what, fun) => {
    expect(ended(what, fun, succeeded)).toMatchObject({ return: SECRET, success: true });
  });

  it('tells why cache.pillar was refused, or failed', () => {
    const refusal = { code: 'not_permitted', sentence: 'no rule permits it' } as const;
    expect(ended('run', 'cache.pillar', { refusal, outcome: null })).toMatchObject({ return: refusal.sentence });
    const outcome = { ...succeeded.outcome, ret: 'the target cannot be used', retcode: 1, success: false };
    expect(ended('run', 'cache.pillar', { refusal: null, outcome })).toMatchObject({ return: outcome.ret });
  });
});

it.each([
  ['from the bus', -1000],
  ['also where the broker’s clock is seconds behind', 5000],
])('whether an end of a run is told is known %s', async (_, ms) => {
  behindMs = ms;
  const start = { request: { what: 'run', funs: ['test.arg'], args: [[]], options: {} }, jid: JID, caller: CALLER };
  const [run, wheel] = [start, { ...start, request: { ...start.request, what: 'wheel' } }] as unknown as RunStart[];
  const [guess, end] = [
    { success: false, return: 'unknown' },
    { success: true, return: { a: [1n, 'x'] } },
  ];
  await events.runEnded(run!, guess);
  expect(await events.isToldAsEnded(run!, end)).toBe(false);
  await events.runEnded(run!, end);
  expect(await events.isToldAsEnded(run!, { ...end, return: { a: [1n, 'x'] } })).toBe(true);
  expect(await events.isToldAsEnded(wheel!, end)).toBe(false);
});
