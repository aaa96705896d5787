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
import { Float, type ValueMap } from '@natrium/model';
import { UnauthorizedException } from '@nestjs/common';
import { Clients } from './clients.js';
import { MasterCalls } from './master-calls.js';

const ALL = ['a', 'b', 'c'];
const CALLER = { token: '', about: 'r1', name: () => Promise.resolve('fred') };
const OPTIONS = { clients: new Set(['local', 'local_batch', 'local_subset']), timeout: 5, restTimeout: 300 };

beforeAll(sodiumReady);

/** A gate that permits all of it, on a cluster where only these are connected; `ran` is who was sent a job. */
function aGate(connected: readonly string[], end: News['end'] = [], all: readonly string[] = ALL) {
  const ran: string[] = [];
  const sizes: number[] = [];
  const publish = {
    handle: ({ request }: SignedRequest, _peer: boolean, follow: Follow, tell: Tell) => {
      const preview = request.options[CONNECTED] === true ? connected : all;
      const minions = follow === 'preview' ? preview : [request.tgt].flat();
      if (follow !== 'preview') {
        ran.push(...minions);
        sizes.push(minions.length);
      }
      const started = { jid: '20261120141646000001', minions: [...minions], missing: [], rule: '' };
      const returns = [request.tgt].flat().includes('a')
        ? [{ id: 'a', ret: false, retcode: 0, success: true, out: null }]
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
  };
  const clients = new Clients(new MasterCalls(ports), OPTIONS);
  const ask = (low: ValueMap) => clients.runAll([{ tgt: '*', fun: 'test.ping', ...low }], CALLER);
  return { ran, sizes, ask };
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

it('names in a batch who returned and who refused, and nobody who is silent', async () => {
  const { ask } = aGate(ALL, [
    { id: 'b', why: 'no_answer', sentence: null },
    { id: 'c', why: 'refused', sentence: 'Not me.' },
  ]);
  const refused = { c: 'Minion did not return. [Refused]\nNot me.' };
  expect(await ask({ client: 'local_batch', batch: '3' })).toEqual(expect.arrayContaining([{ a: false }, refused]));
  expect(await ask({ client: 'local_batch', batch: '3' })).toHaveLength(2);
});

describe('a runner or the wheel', () => {
  /** Runs, and takes the session's end with it where it says so; a budget of so many requests. */
  function aMaster(budget = 1) {
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
          outcome: { ret: 'done', retcode: 0, success: true, out: null },
        });
        return Promise.resolve();
      },
    } as unknown as PeerRun;
    const allowance = { take: () => (left -= 1) >= 0 };
    const ports = { publish: {} as PeerPublish, run, now: () => 1_795_000_000_000, tracing: NO_TRACING, allowance };
    const name = () => (isOver ? Promise.reject(new UnauthorizedException()) : Promise.resolve('fred'));
    const all = { ...OPTIONS, clients: new Set(['runner', 'runner_async', 'wheel', 'wheel_async']) };
    const ask = (low: ValueMap) => new Clients(new MasterCalls(ports), all).runAll([low], { ...CALLER, name });
    return { did, timeouts, lifetimes, ask };
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

  it('is not run for whoever asks too much', async () => {
    const { did, ask } = aMaster(0);
    await expect(ask({ client: 'runner', fun: 'test.arg' })).rejects.toMatchObject({ status: 503 });
    expect(did).toEqual([]);
  });
});
