/**
 * Rules of what a runner reads: of several gateways one that stands still is not waited for, and no answer is asked for twice; and of
 * what it publishes: only what a reaction led to names its cause.
 */
import { jest } from '@jest/globals';
import { type Hearing, NO_TRACING, readAsked } from '@natrium/bus';
import { Lanes, type RoleLink } from '@natrium/edge';
import { encodeRequest, SigningKey, sodiumReady } from '@natrium/envelope';
import { err, fromPlain, ok, type Principal, refusal, type Request, type Value } from '@natrium/model';
import type { PublishAsk } from '@natrium/modules';
import type { RunnerMasterPort } from '@natrium/runners';
import { aRequest } from '@natrium/testing';
import type { contracts } from '@natrium/wire';
import { masterPort } from './master-port.js';

const NOW = 1_795_000_000_000;
const ALICE: Principal = { kind: 'account', name: 'alice' };

beforeAll(sodiumReady);

interface Asked {
  readonly what?: string;
  readonly lane?: Uint8Array;
  readonly number?: number;
}

/** What comes of each question, one after the other; of those beyond them, an answer. */
function aPort(...failures: readonly ('timeout' | 'no_responders' | 'turned_away' | 'store_unavailable')[]) {
  const asked: unknown[] = [];
  const fired: Asked[] = [];
  const ask = ({ body }: { readonly body: Asked }) => {
    const failure = failures[asked.length];
    asked.push(body.what);
    if (body.what === undefined) fired.push(body);
    if (failure === undefined) return Promise.resolve(ok({ body: { refusal: null, result: ['web1'] } }));
    if (failure === 'store_unavailable')
      return Promise.resolve(ok({ body: { refusal: refusal(failure, 'not now'), result: null } }));
    return Promise.resolve(err(failure));
  };
  return { port: portOn({ ask }), asked, fired };
}

function portOn(bus: object): RunnerMasterPort {
  const link = {
    bus,
    subjects: { svcGw: () => 'gw', svcAcl: () => 'acl' },
    directory: { role: () => [] },
    own: { signing: undefined },
  };
  const grantRun = { request: Uint8Array.of(1), grant: { bytes: Uint8Array.of(2), signature: Uint8Array.of(3) } };
  return masterPort(link as unknown as RoleLink, grantRun, ALICE, new Lanes());
}

it.each([0, 1, 2])('is asked for again when nobody has answered in time (%i times)', async (times) => {
  const { port, asked } = aPort(...Array.from({ length: times }, () => 'timeout' as const));
  expect(await port.connected()).toEqual(['web1']);
  expect(asked).toHaveLength(times + 1);
});

it('is given up after three times', async () => {
  const { port, asked } = aPort('timeout', 'timeout', 'timeout');
  await expect(port.connected()).rejects.toThrow('no gateway service answered (timeout)');
  expect(asked).toHaveLength(3);
});

it('of the acl-services, another is asked where one is silent for a second and a half: it is not waited for', async () => {
  jest.useFakeTimers();
  try {
    const answers = [undefined, { refusal: null, result: ['web1'] }];
    let asked = 0;
    const converse = (_question: unknown, _answers: unknown, _ms: number, hear: Hearing<typeof contracts.answer>) => {
      const answer = answers[(asked += 1) - 1];
      if (answer !== undefined) hear.onAnswer(answer, {} as never);
      return () => undefined;
    };
    const read = portOn({ converse }).inventory({ tgt: 'web*', tgtType: 'glob' });
    await jest.advanceTimersByTimeAsync(1500);
    expect(await read).toEqual({ accepted: ['web1'] });
    expect(asked).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});

it.each(['no_responders', 'turned_away'] as const)('is not asked for again on %s', async (failure) => {
  const { port, asked } = aPort(failure);
  await expect(port.connected()).rejects.toThrow(failure);
  expect(asked).toHaveLength(1);
});

it.each([
  ['', 'an event needs a tag'],
  ['x'.repeat(1500), 'a tag has at most 512 characters'],
  ['salt/auth', 'tags under salt/ are the services’ own'],
])('asks nobody to fire what has no tag that a runner may fire: %#', async (tag, why) => {
  const { port, asked } = aPort();
  await expect(port.fire(tag, {})).rejects.toThrow(`the event was not fired: ${why}`);
  expect(asked).toEqual([]);
  await port.fire('my/tag', {});
  expect(asked).toHaveLength(1);
});

it.each([['timeout'], ['store_unavailable'], ['timeout', 'no_responders'], ['store_unavailable', 'timeout']] as const)(
  'an event is asked for again at its place until somebody says that it is stored: %#',
  async (...failures) => {
    const { port, fired } = aPort(...failures);
    await port.fire('my/tag', { a: 1 });
    expect(fired).toHaveLength(failures.length + 1);
    const [first] = fired;
    for (const again of fired) expect(again).toEqual(first);
    await port.fire('my/tag', { a: 1 });
    expect(fired.at(-1)).toEqual({ ...first, number: (first?.number ?? 0) + 1 });
  },
);

it('an event of which nobody said that it is stored may have been fired, and one that nobody heard was not', async () => {
  const { port, fired } = aPort(...Array.from({ length: 13 }, () => 'timeout' as const), 'no_responders');
  await expect(port.fire('my/tag', {})).rejects.toThrow('it may have been fired all the same');
  expect(fired).toHaveLength(14);
  const unheard = aPort('no_responders');
  await expect(unheard.port.fire('my/tag', {})).rejects.toThrow('no gateway took the event (no_responders)');
  expect(unheard.fired).toHaveLength(1);
});

it('an event that is refused is not asked for again', async () => {
  const { port, fired } = aPort('turned_away');
  await expect(port.fire('my/tag', {})).rejects.toThrow('no gateway took the event (turned_away)');
  expect(fired).toHaveLength(1);
});

/** What a runner publishes whose own request says this of its cause. */
function published(
  caller: Principal,
  cause: { readonly depth: number },
  asked: Partial<PublishAsk> = {},
): Promise<Request | undefined> {
  const request = encodeRequest(aRequest(NOW, { what: 'run', funs: ['mine.run'], options: { cause } }));
  const grantRun = { request, grant: { bytes: Uint8Array.of(2), signature: Uint8Array.of(3) } };
  return new Promise((resolve) => {
    const converse = ({ body }: { readonly body: { readonly request: Uint8Array } }) => {
      resolve(readAsked(body.request));
      return () => undefined;
    };
    const sealer = { clock: { now: () => NOW }, roles: { cluster: new Uint8Array(32) } };
    const link = {
      bus: { converse, sealer, tracing: NO_TRACING },
      subjects: { svcGw: () => 'gw' },
      directory: { role: () => [] },
      own: { signing: SigningKey.generate() },
    };
    const ask = {
      tgt: '*',
      fun: 'test.ping',
      arg: [],
      tgtType: 'glob',
      returner: '',
      timeout: 5,
      noParse: [],
    } as const;
    void masterPort(link as unknown as RoleLink, grantRun, caller, new Lanes()).publish({
      ...ask,
      form: 'clean',
      ...asked,
    });
  });
}

it('what a runner publishes that a reaction started names its cause, and that of another caller none', async () => {
  const cause = { depth: 2 };
  expect((await published({ kind: 'reactor', name: 'hello' }, cause))?.options).toMatchObject({ cause });
  expect(Object.keys((await published(ALICE, cause))?.options ?? {})).toEqual(['grant_run']);
});

describe('the arguments of what a runner publishes', () => {
  const TEXTS = ['1', 'yes', 'a=b', '{a: b}', '', { __kwarg__: true, name: '1' }];
  const argsOf = async (fun: string, arg: readonly Value[]) =>
    (await published(ALICE, { depth: 1 }, { fun, arg }))?.args.map((list) => list.map((one) => fromPlain(one)));

  it('are sent as the runner has them: what it got was read already', async () => {
    expect(await argsOf('test.arg', TEXTS)).toEqual([TEXTS]);
    expect(await argsOf('saltutil.find_job', [20261120112404639750n])).toEqual([['20261120112404639750']]);
  });

  it('of several functions are a list of each, or its words', async () => {
    expect(await argsOf('test.arg,test.kwarg,test.ping', [TEXTS, 'x=1 2'])).toEqual([
      TEXTS,
      [2, { __kwarg__: true, x: 1 }],
      [],
    ]);
  });
});
