/** Rules of taking a run on: it runs once, and who asks again hears of that, from whichever instance has it. */
import { digestOf, type Opened } from '@natrium/bus';
import { SigningKey, sodiumReady } from '@natrium/envelope';
import { jidOf } from '@natrium/model';
import { aGrant, aRequest, signedBy } from '@natrium/testing';
import type { Body, contracts } from '@natrium/wire';
import { DeafStore, type Lost } from './deaf-store.spec-support.js';
import { Runs } from './runs.js';
import { TakenRuns } from './taken-runs.js';

type Run = Body<typeof contracts.run>;

const NOW = 1_795_000_000_000;
const CLUSTER = new Uint8Array(32).fill(7);
const [FIRST, SECOND] = [jidOf(NOW * 1000), jidOf(NOW * 1000 + 1)] as const;

let key: SigningKey;
beforeAll(async () => {
  await sodiumReady();
  key = SigningKey.fromSeed(new Uint8Array(32).fill(1));
});

class Service {
  executed = 0;
  success = true;
  isThere = true;
  readonly runs: Runs;
  readonly request = signedBy(key, CLUSTER, aRequest(NOW, { what: 'run', funs: ['test.arg'] })).request;
  readonly store = new DeafStore('runs');
  /** Ends the run that is under way. */
  end: () => void = () => undefined;
  /** Whether its gateway has not kept the end, which is known only then. */
  settle: (wasLost: boolean) => void = () => undefined;

  constructor() {
    const link = {
      roles: { cluster: CLUSTER, keysOf: () => [key.publicKey] },
      clock: { now: () => NOW, skewMs: 0 },
      own: { instance: 'r1' },
      subjects: { svcGw: (verb: string) => verb },
      directory: { instance: () => undefined },
      bus: { tracing: { step: (_: string, __: unknown, work: () => unknown) => work() } },
    };
    const taken = new TakenRuns(this.store, () => Promise.resolve());
    const registry = {
      has: () => this.isThere,
      execute: async () => {
        this.executed += 1;
        await new Promise<void>((resolve) => (this.end = resolve));
        return { ret: 'said', retcode: 0, success: this.success, out: null };
      },
    };
    const see = () => new Promise<boolean>((resolve) => (this.settle = resolve));
    this.runs = new Runs(link as never, taken, { run: registry, wheel: registry } as never, {} as never, {
      see,
    });
  }

  /** @param granted As which jid an acl-service has granted it. */
  asked(jid: string, granted = jid): Opened<typeof contracts.run> {
    const grant = aGrant(
      { key, cluster: CLUSTER },
      { request: this.request, members: [{ id: 'x', key: key.publicKey }], issued: NOW },
      {
        ...{ kind: 'run', root: new Uint8Array(32), count: 0, jid: granted },
      },
    );
    const body = { request: this.request, signature: null, callerKey: null, grant, jid } as Run;
    return { body, answer: () => undefined } as unknown as Opened<typeof contracts.run>;
  }

  async takenBy(instance: string): Promise<void> {
    const elsewhere = new TakenRuns(this.store, () => Promise.resolve());
    await elsewhere.take({ digest: digestOf(this.request), instance, jid: FIRST, started: NOW });
  }
}

const begun = () => new Promise(setImmediate);

it('who asks again while it runs hears its outcome, under its first jid, and it runs once', async () => {
  const service = new Service();
  const asked = [service.runs.handle(service.asked(FIRST)), service.runs.handle(service.asked(SECOND))];
  const elsewhere = service.runs.again(service.asked(SECOND));
  await begun();
  service.end();
  for (const ran of await Promise.all([...asked, elsewhere]))
    expect(ran).toMatchObject({ jid: FIRST, outcome: { ret: 'said' } });
  expect(service.executed).toBe(1);
});

it('so does who asks after its end, until that is kept; then it is only said that it was run', async () => {
  const service = new Service();
  const first = service.runs.handle(service.asked(FIRST));
  await begun();
  service.end();
  await first;
  expect(await service.runs.again(service.asked(SECOND))).toMatchObject({ jid: FIRST, outcome: { ret: 'said' } });
  service.settle(false);
  await begun();
  for (const ask of ['again', 'handle'] as const)
    expect(await service.runs[ask](service.asked(SECOND))).toMatchObject({
      jid: SECOND,
      refusal: { code: 'already_ran' },
    });
  expect(service.executed).toBe(1);
});

it('one that an instance has taken that is gone does not run', async () => {
  const service = new Service();
  await service.takenBy('r2');
  expect(await service.runs.handle(service.asked(SECOND))).toMatchObject({ refusal: { code: 'already_ran' } });
  expect(service.executed).toBe(0);
});

it.each<Lost[][]>([[['made']], [['gone']], [['gone', 'made']]])(
  'one that is written down, and the broker’s word on that is lost, runs once: %j',
  async (lost) => {
    const service = new Service();
    service.store.lost.push(...lost);
    const asked = [service.runs.handle(service.asked(FIRST)), service.runs.handle(service.asked(SECOND))];
    await begun();
    service.end();
    for (const ran of await Promise.all(asked)) expect(ran).toMatchObject({ jid: FIRST, outcome: { ret: 'said' } });
    expect(service.executed).toBe(1);
  },
);

it('one of which nobody knows whether it is written down does not run', async () => {
  const service = new Service();
  service.store.lost.push('gone', 'gone', 'gone');
  expect(await service.runs.handle(service.asked(FIRST))).toMatchObject({ refusal: { code: 'store_unavailable' } });
  expect(service.executed).toBe(0);
});

it('one that the store refuses does not run, and is not tried again', async () => {
  const service = new Service();
  service.store.lost.push('full');
  expect(await service.runs.handle(service.asked(FIRST))).toMatchObject({ refusal: { code: 'store_unavailable' } });
  expect([service.executed, service.store.writes]).toEqual([0, 1]);
});

it('one that somebody else has taken meanwhile does not run because the broker’s word was lost', async () => {
  const service = new Service();
  await service.takenBy('r2');
  service.store.lost.push('gone');
  expect(await service.runs.handle(service.asked(SECOND))).toMatchObject({ refusal: { code: 'already_ran' } });
  expect(service.executed).toBe(0);
});

it('of one that is taken, and by whom cannot be read, it is said that it was run before', async () => {
  const service = new Service();
  await service.takenBy('r2');
  service.store.get = () => Promise.reject(Object.assign(new Error('timeout'), { name: 'TimeoutError' }));
  expect(await service.runs.handle(service.asked(SECOND))).toMatchObject({ refusal: { code: 'already_ran' } });
  expect(service.executed).toBe(0);
});

it('nobody hears of it, and nothing runs, with a grant for another jid', async () => {
  const service = new Service();
  const first = service.runs.handle(service.asked(FIRST));
  await begun();
  for (const ask of ['again', 'handle'] as const)
    expect(await service.runs[ask](service.asked(SECOND, FIRST))).toMatchObject({
      refusal: { code: 'grant_jid' },
      outcome: null,
    });
  service.end();
  await first;
  expect(service.executed).toBe(1);
});

it.each([
  ['ok', {}],
  ['failed', { success: false }],
  ['refused', { isThere: false }],
])('what is taken counts once as %s, however often it is asked for', async (outcome, change) => {
  const service = Object.assign(new Service(), change);
  const asked = [service.runs.handle(service.asked(FIRST)), service.runs.handle(service.asked(SECOND))];
  await begun();
  service.end();
  await Promise.all(asked);
  expect([...service.runs.counts]).toEqual([[outcome, 1]]);
});

it('what another instance has taken does not count here', async () => {
  const service = new Service();
  await service.takenBy('r2');
  await service.runs.handle(service.asked(SECOND));
  expect(service.runs.counts.size).toBe(0);
});
