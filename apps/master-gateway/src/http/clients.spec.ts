/** Rules of `local_subset` (some of those who are connected are asked, and nobody else) and of batches. The gate has its own rules. */
import { NO_TRACING } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import {
  CONNECTED,
  type Follow,
  type News,
  NO_NEWS,
  type PeerPublish,
  type PeerRun,
  type Ran,
  type SignedRequest,
  type Tell,
} from '@natrium/flow';
import { Float, type Refusal, refusal, type Value, type ValueMap } from '@natrium/model';
import { UnauthorizedException } from '@nestjs/common';
import { Clients } from './clients.js';
import { Refusals } from '../callers/refusals.js';
import { MasterCalls } from './master-calls.js';

const ALL = ['a', 'b', 'c'];
const JID = '20261120141646000001';
const CALLER = { token: '', about: 'r1', name: () => Promise.resolve('fred') };
const OPTIONS = { clients: new Set(['local', 'local_batch', 'local_subset']), timeout: 5, restTimeout: 300 };

beforeAll(sodiumReady);

function made(clients: Clients, low: ValueMap, caller = CALLER): Promise<readonly Value[]> {
  return clients.inSequence((sequence) => clients.makeAll(clients.read([low], caller), sequence.by(caller)));
}

/**
 * A gate that permits all of it, on a cluster where only these are connected, and each but those of `without` has every function; `ran` is
 * who was sent a job, `looked` who was asked for functions each time.
 */
function aGate(
  connected: readonly string[],
  end: News['end'] = [],
  all: readonly string[] = ALL,
  missing: string[] = [],
  retcode = 0,
) {
  const paused: number[] = [];
  const ran: string[] = [];
  const sizes: number[] = [];
  const looked: (readonly string[])[] = [];
  const functions: { without: readonly string[]; refusal: Refusal | null } = { without: [], refusal: null };
  const look = ({ request }: SignedRequest, tell: Tell) => {
    const minions = [request.tgt].flat();
    looked.push(minions);
    if (functions.refusal !== null) tell({ ...NO_NEWS, refusal: functions.refusal });
    else {
      const has = (id: string) => (functions.without.includes(id) ? [] : (request.args[0] ?? []));
      const returns = minions.map((id) => ({ id, ret: [...has(id)], retcode: 0, success: true, out: null }));
      tell({ ...NO_NEWS, started: { jid: JID, minions, missing: [], rule: '' }, returns, end: [] });
    }
    return Promise.resolve();
  };
  const publish = {
    handle: ({ request, ...signed }: SignedRequest, _peer: boolean, follow: Follow, tell: Tell) => {
      if (request.funs[0] === 'sys.list_functions') return look({ request, ...signed }, tell);
      const preview = request.options[CONNECTED] === true ? connected : all;
      const minions = follow === 'preview' ? preview : [request.tgt].flat();
      if (follow !== 'preview') {
        ran.push(...minions);
        sizes.push(minions.length);
      }
      const started = { jid: JID, minions: [...minions], missing, rule: '' };
      const returns = [request.tgt].flat().includes('a')
        ? [{ id: 'a', ret: false, retcode, success: retcode === 0, out: null }]
        : [];
      tell({ ...NO_NEWS, started, returns, end: follow === 'all' ? end : null });
      return Promise.resolve();
    },
  } as unknown as PeerPublish;
  const ports = {
    publish,
    run: {} as PeerRun,
    now: () => 1_795_000_000_000,
    tracing: NO_TRACING,
    allowance: { take: () => true },
    refusals: new Refusals(),
  };
  const pause = (ms: number) => Promise.resolve(paused.push(ms));
  const clients = new Clients(new MasterCalls(ports), OPTIONS, { now: () => 0, pause });
  const ask = (low: ValueMap) => made(clients, { tgt: '*', fun: 'test.ping', ...low });
  return { ran, sizes, paused, looked, functions, ask };
}

it('asks nobody who is not connected', async () => {
  const { ran, ask } = aGate(['a', 'c']);
  await ask({ client: 'local_subset', subset: 3 });
  expect(ran.sort()).toEqual(['a', 'c']);
});

it('counts with a float of a whole number, and with no other', async () => {
  const { ran, ask } = aGate(ALL);
  await ask({ client: 'local_subset', subset: new Float(2) });
  expect(ran).toHaveLength(2);
  await expect(ask({ client: 'local_subset', subset: 1.5 })).rejects.toThrow('whole number');
  expect(ran).toHaveLength(2);
});

it('sends nothing when nobody is connected', async () => {
  const { ran, ask } = aGate([]);
  expect(await ask({ client: 'local_subset', subset: 3 })).toEqual([{}]);
  expect(ran).toEqual([]);
});

describe('a subset', () => {
  const MANY = Array.from({ length: 8 }, (_, index) => `m${String(index)}`);

  it('is chosen from the minions that have all of the functions, and nobody else is asked', async () => {
    const { ran, functions, ask } = aGate(MANY);
    functions.without = MANY.slice(2);
    await ask({ client: 'local_subset', subset: 2, fun: ['test.ping', 'own.f'], arg: [[], []] });
    expect(ran.sort()).toEqual(['m0', 'm1']);
  });

  it('that nobody can be of is empty, and nothing is sent', async () => {
    const { ran, looked, functions, ask } = aGate(MANY);
    functions.without = MANY;
    expect(await ask({ client: 'local_subset', subset: 1 })).toEqual([{}]);
    expect(ran).toEqual([]);
    expect(looked.flat().sort()).toEqual(MANY);
  });

  it('costs a look at as many minions as it has, and at twice as many each time where some lack the function', async () => {
    const { looked, functions, ask } = aGate(MANY);
    await ask({ client: 'local_subset', subset: 2 });
    expect(looked.map((ids) => ids.length)).toEqual([2]);
    functions.without = MANY;
    await ask({ client: 'local_subset', subset: 1 });
    expect(looked.map((ids) => ids.length)).toEqual([2, 1, 2, 4, 1]);
  });

  it('is one of all that are connected for who may not ask which functions they have', async () => {
    const { ran, functions, ask } = aGate(['a', 'b']);
    functions.refusal = refusal('not_permitted', 'no rule permits it');
    await ask({ client: 'local_subset', subset: 2 });
    expect(ran.sort()).toEqual(['a', 'b']);
  });

  it.each([
    ['bad_credential', 401],
    ['acl_unavailable', 503],
  ] as const)('is not chosen while the question fails otherwise: %s', async (code, status) => {
    const { ran, functions, ask } = aGate(ALL);
    functions.refusal = refusal(code, 'no');
    await expect(ask({ client: 'local_subset', subset: 2 })).rejects.toMatchObject({ status });
    expect(ran).toEqual([]);
  });
});

it('leaves a batch as it is: whoever is meant is asked, connected or not', async () => {
  const { ran, ask } = aGate(['a', 'c']);
  await ask({ client: 'local_batch', batch: '3' });
  expect(ran.sort()).toEqual(ALL);
});

it.each([
  [{}, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]],
  [{ batch: null }, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]],
  [{ batch: '50%' }, [10, 10, 1]],
  [{ batch: 20 }, [20, 1]],
  [{ batch: '1%' }, Array.from({ length: 21 }, () => 1)],
])('makes of %j batches of %j of 21 minions: a tenth where nothing is said', async (low, wanted) => {
  const { sizes, ask } = aGate(
    [],
    [],
    Array.from({ length: 21 }, (_, index) => `m${String(index)}`),
  );
  await ask({ client: 'local_batch', ...low });
  expect(sizes).toEqual(wanted);
});

it.each([['%50'], ['50%'], [' 50% '], ['50 %'], ['% 50']])('takes %j as the command line does', async (batch) => {
  const { sizes, ask } = aGate([]);
  await ask({ client: 'local_batch', batch });
  expect(sizes).toEqual([1, 1, 1]);
});

it.each([
  { batch: '0' },
  { batch: '%50%' },
  { batch: '5 0%' },
  { batch: ' %' },
  { batch: 1.5 },
  { batch: [] },
  { batch: true },
  { batch_wait: 'soon' },
  { batch_wait: '' },
  { batch_wait: -1 },
  { batch_wait: 86_401 },
  { batch_wait: [] },
])('refuses %j, and sends nothing', async (low) => {
  const { ran, ask } = aGate(ALL);
  await expect(ask({ client: 'local_batch', ...low })).rejects.toMatchObject({ status: 400 });
  expect(ran).toEqual([]);
});

describe('a batch', () => {
  const silent = { id: 'b', why: 'no_answer', sentence: null } as const;
  const refused = { id: 'b', why: 'refused', sentence: 'Not me.' } as const;
  const away = { id: 'b', why: 'not_connected', sentence: null } as const;

  it.each([
    [silent, {}],
    [{ ...silent, why: 'running' } as const, {}],
    [refused, 'Minion did not return. [Refused]\nNot me.'],
  ])('names whom it was sent to: %j is told as %j', async (absent, told) => {
    const { ask } = aGate(ALL, [absent]);
    const answered = await ask({ client: 'local_batch', tgt: 'a', batch: '3' });
    expect(answered).toHaveLength(2);
    expect(answered).toEqual(expect.arrayContaining([{ a: false }, { b: told }]));
  });

  it('names nobody who is not connected, nor ids that are nobody’s', async () => {
    const { ask } = aGate(ALL, [away], ALL, ['z']);
    expect(await ask({ client: 'local_batch', tgt: 'a', batch: '3' })).toEqual([{ a: false }]);
  });

  it('tells a return of who was silent at first once, as what it returned', async () => {
    const { ask } = aGate(ALL, [{ ...silent, id: 'a' }]);
    expect(await ask({ client: 'local_batch', tgt: 'a', batch: '3' })).toEqual([{ a: false }]);
  });

  it.each([
    ['a silent minion', [silent], 0, ['a']],
    ['a refusal', [refused], 0, ['a']],
    ['a failure', [], 2, ['a']],
    ['nothing', [], 0, ALL],
    ['a minion that is not there', [away], 0, ALL],
  ])('with failhard stops after %s', async (_about, end, retcode, asked) => {
    const { ran, ask } = aGate(ALL, end, ALL, [], retcode);
    await ask({ client: 'local_batch', batch: '1', failhard: true });
    expect(ran).toEqual(asked);
  });

  it.each([false, null, 'False', 0, ''])('with failhard: %j goes on after a failure', async (failhard) => {
    const { ran, ask } = aGate(ALL, [], ALL, [], 2);
    await ask({ client: 'local_batch', batch: '1', failhard });
    expect(ran).toEqual(ALL);
  });

  it.each([
    [{}, []],
    [{ batch_wait: null }, []],
    [{ batch_wait: 0 }, []],
    [{ batch_wait: 7 }, [7000, 7000]],
    [{ batch_wait: '0.5' }, [500, 500]],
    [{ batch_wait: new Float(2) }, [2000, 2000]],
  ])('with %j waits %j ms between two, and not after the last', async (low, waits) => {
    const { paused, ask } = aGate(ALL);
    await ask({ client: 'local_batch', batch: '1', ...low });
    expect(paused).toEqual(waits);
  });
});

describe('a runner or the wheel', () => {
  /** Runs, and takes the session's end with it where it says so; a budget of so many requests. */
  function aMaster(budget = 1, { success = true, ret = 'done' } = {}) {
    const did: string[] = [];
    const timeouts: number[] = [];
    const lifetimes: number[] = [];
    let [isOver, left] = [false, budget];
    const run = {
      handle: ({ request }: SignedRequest, _follow: string, tell: (ran: Ran) => void) => {
        did.push(request.funs.join());
        timeouts.push(request.timeout);
        lifetimes.push(request.lifetime);
        isOver = true;
        tell({
          refusal: null,
          jid: '20261126000000000001',
          outcome: { ret, retcode: success ? 0 : 1, success, out: null },
        });
        return Promise.resolve();
      },
    } as unknown as PeerRun;
    const allowance = { take: () => (left -= 1) >= 0 };
    const refusals = new Refusals();
    const ports = {
      publish: {} as PeerPublish,
      run,
      now: () => 1_795_000_000_000,
      tracing: NO_TRACING,
      allowance,
      refusals,
    };
    const name = () => (isOver ? Promise.reject(new UnauthorizedException()) : Promise.resolve('fred'));
    const all = { ...OPTIONS, clients: new Set(['runner', 'runner_async', 'wheel', 'wheel_async']) };
    const ask = (low: ValueMap) => made(new Clients(new MasterCalls(ports), all), low, { ...CALLER, name });
    return { did, timeouts, lifetimes, refusals, ask };
  }

  it.each([
    { client: 'runner', fun: 'test.arg', full_return: true },
    { client: 'wheel', fun: 'key.list_all' },
  ])('that is done is answered, also where the session has ended meanwhile: %j', async (low) => {
    const { did, ask } = aMaster();
    expect(await ask(low)).toMatchObject([{ data: { user: 'fred', return: 'done', success: true } }]);
    expect(did).toEqual([low.fun]);
  });

  it.each([
    { client: 'runner', fun: 'test.arg', full_return: true },
    { client: 'wheel', fun: 'key.list_all' },
  ])('is stamped with the time of the cluster, which may not be that of this host: %j', async (low) => {
    expect(await aMaster().ask(low)).toMatchObject([{ data: { _stamp: '2026-11-18T11:06:40.000000' } }]);
  });

  it.each([
    ['runner', {}, 300],
    ['wheel', {}, 300],
    ['runner', { timeout: 7 }, 7],
    ['runner_async', {}, 86_400],
    ['wheel_async', {}, 86_400],
    ['runner_async', { timeout: 7 }, 7],
  ])('by the client %s with %j has %d s, and a minute to be granted', async (client, more, seconds) => {
    const { timeouts, lifetimes, ask } = aMaster();
    await ask({ client, fun: 'test.arg', ...more });
    expect([timeouts, lifetimes]).toEqual([[seconds], [60_000]]);
  });

  const LATE = { success: false, ret: "'test.sleep' was ended: it took too long" };

  it.each([[{}], [{ full_return: true }]])(
    'that was ended when its timeout was over is 504 of a runner, as in Salt, with its jid: %j',
    async (more) => {
      const { did, ask } = aMaster(1, LATE);
      const answer = ask({ client: 'runner', fun: 'test.sleep', timeout: 7, ...more });
      await expect(answer).rejects.toMatchObject({ status: 504 });
      await expect(answer).rejects.toThrow(/jid 20261126000000000001\..* within its timeout of 7 s, and was ended$/);
      expect(did).toEqual(['test.sleep']);
    },
  );

  it.each([
    ['that failed otherwise', { ...LATE, ret: 'no such thing' }],
    ['that was done, whatever it returns', { ...LATE, success: true }],
  ])('%s is answered', async (_about, end) => {
    expect(await aMaster(1, end).ask({ client: 'runner', fun: 'test.sleep', timeout: 7 })).toEqual([end.ret]);
  });

  it('that was ended so is told by the wheel as every failure', async () => {
    const told = await aMaster(1, LATE).ask({ client: 'wheel', fun: 'test.sleep', timeout: 7 });
    expect(told).toMatchObject([{ data: { return: LATE.ret, success: false } }]);
  });

  it('is not run for whoever asks too much', async () => {
    const { did, refusals, ask } = aMaster(0);
    await expect(ask({ client: 'runner', fun: 'test.arg' })).rejects.toMatchObject({ status: 503 });
    expect(did).toEqual([]);
    expect([...refusals.counts]).toEqual([['slow_down', 1]]);
  });
});
