/** Rules of waiting for a runner-service: silence is asked about, and only one that is gone leaves the outcome unknown. */
import { jest } from '@jest/globals';
import { type AskFailure, BACK_MS, type Hearing, type Question } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { KnownParty } from '@natrium/envelope';
import type { NoAnswer, SignedRequest } from '@natrium/flow';
import { err, ok, parseJid } from '@natrium/model';
import type { Body, Contract, contracts } from '@natrium/wire';
import { runOn } from './runner-client.js';

const JID = parseJid('20261120141646000001')!;
const WORKER = { owner: { type: 'role', role: 'runner', instance: 'r1' } } as unknown as KnownParty;
const ALIVE = { refusal: null, jid: '', outcome: null };
const DONE = { refusal: null, jid: JID, outcome: { ret: 7, retcode: 0, success: true, out: null } };

type Presence = 'working' | 'idle' | AskFailure;

/** A runner-service as the gateway hears it. */
class Worker {
  /** One for each time that it was handed the run. */
  readonly handed: Hearing<typeof contracts.ran>[] = [];
  presence: Presence = 'working';
  readonly asked: string[] = [];
  readonly backMs: (number | undefined)[] = [];
  readonly told: Promise<string>;
  /** It was said to work on it still when it was given up. */
  isRunning = false;

  constructor(timeoutMs = 3_600_000) {
    const ask = { bytes: new Uint8Array(), signature: null, callerKey: null, request: { funs: ['test.sleep'] } };
    this.told = runOn(this.#link(), ask as unknown as SignedRequest, undefined as never, JID, timeoutMs).then((ran) =>
      ran.ok ? (ran.value.refusal?.code ?? JSON.stringify(ran.value.outcome?.ret)) : this.#failed(ran.error),
    );
  }

  says(ran: Body<typeof contracts.ran>, to = 0): void {
    this.handed[to]?.onAnswer(ran, WORKER);
  }

  fails(failure: AskFailure, to = this.handed.length - 1): void {
    this.handed[to]?.onFailure(failure);
  }

  #failed({ why, isRunning }: NoAnswer): string {
    this.isRunning = isRunning;
    return why.sentence;
  }

  #link(): RoleLink {
    return {
      bus: {
        converse: (
          { backMs }: Question<Contract>,
          _answers: unknown,
          ms: number,
          hear: Hearing<typeof contracts.ran>,
        ) => {
          this.handed.push(hear);
          this.backMs.push(backMs);
          const timer = setTimeout(() => {
            hear.onFailure('timeout');
          }, ms);
          return () => {
            clearTimeout(timer);
          };
        },
        ask: ({ subject }: { readonly subject: string }) => {
          this.asked.push(subject);
          if (this.presence === 'working' || this.presence === 'idle')
            return Promise.resolve(ok({ body: { running: this.presence === 'working' ? [JID] : [] } }));
          return Promise.resolve(err(this.presence));
        },
      },
      subjects: { svcRun: () => 'run', svcRunHere: (instance: string) => `here.${instance}` },
      directory: { role: () => [WORKER] },
    } as unknown as RoleLink;
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1000);

async function isOver(worker: Worker): Promise<boolean> {
  return Promise.race([worker.told.then(() => true), Promise.resolve(false).then(() => false)]);
}

it('one that says each second that it works is not asked, however long it takes', async () => {
  const worker = new Worker();
  for (let n = 0; n < 60; n += 1) {
    worker.says(ALIVE);
    await seconds(1);
  }
  expect(worker.asked).toEqual([]);
  worker.says(DONE);
  expect(await worker.told).toBe('7');
});

it('one that is silent and answers that it works is waited for', async () => {
  const worker = new Worker();
  worker.says(ALIVE);
  await seconds(60);
  expect(worker.asked.length).toBeGreaterThan(10);
  expect(new Set(worker.asked)).toEqual(new Set(['here.r1']));
  worker.says(DONE);
  expect(await worker.told).toBe('7');
});

it.each<readonly [Presence, number]>([
  ['no_responders', 3],
  ['idle', 4],
  ['timeout', 10],
])('one that is silent, and asked gives %p, is gone after %i seconds and not long before', async (presence, after) => {
  const worker = new Worker();
  worker.presence = presence;
  worker.says(ALIVE);
  await seconds(after - 1);
  expect(await isOver(worker)).toBe(false);
  await seconds(2);
  expect(await worker.told).toMatch(/its runner-service is gone: interrupted, outcome unknown/);
  expect(worker.isRunning).toBe(false);
});

it('one that never said a word cannot be asked, and is not waited for after ten seconds', async () => {
  const worker = new Worker();
  await seconds(9);
  expect(await isOver(worker)).toBe(false);
  await seconds(2);
  expect(await worker.told).toContain('no runner-service says that it works on it: outcome unknown');
  expect(worker.asked).toEqual([]);
});

describe('a run of which nobody has said a word after three seconds', () => {
  let worker: Worker;
  beforeEach(async () => {
    worker = new Worker(8000);
    await seconds(2);
    expect(worker.handed).toHaveLength(1);
    await seconds(1.5);
  });

  it('is handed over once more, and its answer is taken', async () => {
    worker.says(ALIVE, 1);
    worker.says(DONE, 1);
    expect([await worker.told, worker.handed.length]).toEqual(['7', 2]);
  });

  const refused = (code: string) => ({ ...ALIVE, jid: JID, refusal: { code, sentence: code } });

  it.each([
    [0, 1],
    [1, 0],
  ])('has its outcome from either, whatever the other says of it', async (one, other) => {
    worker.says(refused('already_ran'), one);
    expect(await isOver(worker)).toBe(false);
    worker.says(ALIVE, other);
    worker.says(DONE, other);
    expect(await worker.told).toBe('7');
  });

  it('is refused when both have refused it', async () => {
    worker.says(refused('store_unavailable'), 1);
    expect(await isOver(worker)).toBe(false);
    worker.says(refused('not_permitted'));
    expect(await worker.told).toBe('not_permitted');
  });

  it.each([
    [0, 1],
    [1, 0],
  ])(
    'is no refusal when one of them says only that it was run: who has run it may not have said so',
    async (one, other) => {
      worker.says(refused('already_ran'), one);
      worker.says(refused('store_unavailable'), other);
      expect(await worker.told).toContain('outcome unknown, jid 20261120141646000001');
    },
  );

  it('is handed over again until somebody says one, since the broker may give it to one that stands still each time', async () => {
    await seconds(2);
    expect(worker.handed).toHaveLength(4);
    worker.says(ALIVE, 3);
    await seconds(2);
    worker.says(DONE, 3);
    expect([await worker.told, worker.handed.length]).toEqual(['7', 4]);
  });

  it('is not handed over again once one has refused it, and whoever has it is waited for', async () => {
    worker.says(refused('already_ran'), 1);
    await seconds(3);
    worker.says(DONE, 0);
    expect([await worker.told, worker.handed.length]).toEqual(['7', 2]);
  });

  it('is refused at once by whoever has taken it and finds no such runner', async () => {
    worker.says(ALIVE, 1);
    worker.says(refused('unknown_runner'), 1);
    await seconds(0);
    expect(await isOver(worker)).toBe(true);
    expect(await worker.told).toBe('unknown_runner');
  });

  it('is not said to be running still when the time is over', async () => {
    await seconds(6);
    expect(await worker.told).toMatch(/says that it works on it: outcome unknown, jid 20261120141646000001/);
  });

  it.each(['not_permitted', 'already_ran'])(
    'is refused as the first has refused it where nobody was there the second time: %s',
    async (code) => {
      worker.says(refused(code), 0);
      expect(await isOver(worker)).toBe(false);
      worker.fails('no_responders', 1);
      expect([await worker.told, worker.handed.length]).toEqual([code, 2]);
    },
  );

  it('also where that is known before', async () => {
    worker.fails('no_responders', 1);
    worker.says(refused('already_ran'), 0);
    expect(await worker.told).toBe('already_ran');
  });

  it('and is waited for where nobody was there the second time, and the first has not refused it', async () => {
    worker.fails('no_responders', 1);
    expect(await isOver(worker)).toBe(false);
    worker.says(DONE, 0);
    expect([await worker.told, worker.handed.length]).toEqual(['7', 2]);
  });
});

it.each([
  ['no_responders', 'no runner-service is there; start one, or look into its log'],
  ['nobody_known', 'no runner-service is there; start one, or look into its log'],
  ['turned_away', 'the runner-service turned it away, its log says why'],
] as const)('a run that nobody has taken up says so, and what to do: %s', async (failure, sentence) => {
  const worker = new Worker();
  worker.fails(failure);
  expect([await worker.told, worker.handed.length]).toEqual([`test.sleep gave no answer: ${sentence}`, 1]);
});

it('one that was not there at first has its three seconds from then on', async () => {
  const worker = new Worker();
  await seconds(1.9);
  worker.handed[0]?.onSentAgain?.();
  await seconds(2.5);
  expect(worker.handed).toHaveLength(1);
  await seconds(1);
  expect(worker.handed).toHaveLength(2);
});

it('one that is started anew is waited for as long as one may take to come back', () => {
  expect(new Worker().backMs).toEqual([BACK_MS]);
});

it('one that turns it away is believed at once', async () => {
  const worker = new Worker();
  worker.fails('turned_away');
  expect([await worker.told, worker.handed.length]).toEqual([expect.stringContaining('turned it away'), 1]);
});

it('one that stood still and goes on is no death', async () => {
  const worker = new Worker();
  worker.presence = 'timeout';
  worker.says(ALIVE);
  await seconds(8);
  worker.says(ALIVE);
  await seconds(8);
  worker.says(DONE);
  expect(await worker.told).toBe('7');
});

it('one that works on when the time is over is said to be running still', async () => {
  const worker = new Worker(5000);
  worker.says(ALIVE);
  await seconds(6);
  expect(await worker.told).toMatch(/still running, jid 20261120141646000001/);
  expect(worker.isRunning).toBe(true);
});
