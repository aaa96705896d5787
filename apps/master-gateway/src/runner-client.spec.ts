/** Rules of waiting for a runner-service: silence is asked about, and only one that is gone leaves the outcome unknown. */
import { jest } from '@jest/globals';
import type { AskFailure, Hearing } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { KnownParty } from '@natrium/envelope';
import type { SignedRequest } from '@natrium/flow';
import { err, ok, parseJid } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import { runOn } from './runner-client.js';

const JID = parseJid('20261120141646000001')!;
const WORKER = { owner: { type: 'role', role: 'runner', instance: 'r1' } } as unknown as KnownParty;
const ALIVE = { refusal: null, jid: '', outcome: null };
const DONE = { refusal: null, jid: JID, outcome: { ret: 7, retcode: 0, success: true, out: null } };

type Presence = 'working' | 'idle' | AskFailure;

/** A runner-service as the gateway hears it. */
class Worker {
  hear: Hearing<typeof contracts.ran> | undefined;
  presence: Presence = 'working';
  readonly asked: string[] = [];
  readonly told: Promise<string>;

  constructor(timeoutMs = 3_600_000) {
    const ask = { bytes: new Uint8Array(), signature: null, callerKey: null, request: { funs: ['test.sleep'] } };
    this.told = runOn(this.#link(), ask as unknown as SignedRequest, undefined as never, JID, timeoutMs).then((ran) =>
      ran.ok ? JSON.stringify(ran.value.outcome?.ret) : ran.error.sentence,
    );
  }

  says(ran: Body<typeof contracts.ran>): void {
    this.hear?.onAnswer(ran, WORKER);
  }

  #link(): RoleLink {
    return {
      bus: {
        converse: (_question: unknown, _answers: unknown, _ms: number, hear: Hearing<typeof contracts.ran>) => {
          this.hear = hear;
          return () => undefined;
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
});

it('one that never said a word cannot be asked, and is gone after ten seconds', async () => {
  const worker = new Worker();
  await seconds(9);
  expect(await isOver(worker)).toBe(false);
  await seconds(2);
  expect(await worker.told).toContain('interrupted, outcome unknown');
  expect(worker.asked).toEqual([]);
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
  await seconds(6);
  expect(await worker.told).toMatch(/still running, jid 20261120141646000001/);
});
