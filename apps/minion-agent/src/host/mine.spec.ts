/** Rules of the mine: updated at the start, then every so often, and one at a time; what a job may have run here, and that it ends with its job. */
import { jest } from '@jest/globals';
import type { CheckedGrant } from '@natrium/flow';
import type { Request, Value } from '@natrium/model';
import { defineModule, fn, type MineItem, type Outcome } from '@natrium/modules';
import { until } from '@natrium/testing';
import { pino } from 'pino';
import type { LiveLink } from '../link/live-link.js';
import { Execution } from '../execution/execution.js';
import { Mine } from './mine.js';

const MINUTE_MS = 60_000;

const JID = '20261123000000000001';
const SIGTERM = 15;

afterEach(() => {
  jest.useRealTimers();
});

/** An agent whose master keeps what it is given. */
function anAgent(functions: Value = {}) {
  const data = {
    currentGrains: () => ({}),
    currentPillar: () => ({}),
    grains: async () => true,
    pillar: async () => true,
  };
  const execution = new Execution({ id: 'web1', data, config: {}, master: undefined });
  const kept: unknown[] = [];
  const done = async () => ({ ok: true, value: true }) as const;
  execution.mine = {
    functions: () => functions,
    run: (fun, args, call) => execution.within(fun, args, call),
    keep: (items: readonly MineItem[]) => {
      kept.push(...items.map(({ value }) => value));
      return done();
    },
    drop: done,
    read: done,
  };
  const request = { tgt: '*', tgtType: 'glob', returner: '' };
  const grant = { jid: JID, caller: { kind: 'account', name: 'ann' } } as unknown as CheckedGrant;
  const job = (fun: string, ...args: readonly string[]) =>
    execution.run({ ...request, funs: [fun], args: [args] } as unknown as Request, grant);
  return { execution, kept, job };
}

/** Its own updates, each under way until it is told that it is done. */
function aMine(isEnabled: boolean) {
  const done: (() => void)[] = [];
  const mine = new Mine({
    link: {} as LiveLink,
    log: pino({ enabled: false }),
    functions: { 'network.interfaces': [] },
    isEnabled,
    intervalMinutes: 1,
    pillar: () => ({}),
    run: () =>
      new Promise<Outcome>((resolve) => {
        done.push(() => {
          resolve({ ret: true, retcode: 0, success: true, notes: [] });
        });
      }),
  });
  return { mine, done };
}

it('leaves an update out while the one before is under way, and goes on when that is done', async () => {
  jest.useFakeTimers();
  const { mine, done } = aMine(true);
  mine.start();
  await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
  expect(done).toHaveLength(1);
  done[0]?.();
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect(done).toHaveLength(2);
  mine.stop();
});

it('is not updated by itself where mine_enabled says no', async () => {
  jest.useFakeTimers();
  const { mine, done } = aMine(false);
  mine.start();
  await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
  expect(done).toHaveLength(0);
  mine.stop();
});

it('a job has run here a function that only looks, but none of the same name that is of the user’s own', async () => {
  const { execution, kept, job } = anAgent();
  expect((await job('mine.send', 'test.ping')).ret).toBe(true);
  expect(kept).toEqual([true]);
  execution.use([{ ...defineModule('test', { ping: fn({ doc: 'Does anything.' }, () => 'done') }), isOwn: true }]);
  expect(await job('mine.send', 'test.ping')).toMatchObject({
    ret: expect.stringContaining('is not in mine_functions of this minion') as string,
    success: false,
  });
  expect(kept).toEqual([true]);
});

it('one of the user’s own is run where mine_functions has it', async () => {
  const { execution, kept, job } = anAgent({ 'test.ping': [] });
  execution.use([{ ...defineModule('test', { ping: fn({ doc: 'Does anything.' }, () => 'done') }), isOwn: true }]);
  expect((await job('mine.send', 'test.ping')).ret).toBe(true);
  expect(kept).toEqual(['done']);
});

it('a signal to a job of mine.* reaches what it runs', async () => {
  const { execution, job } = anAgent({ slow: { mine_function: 'cmd.run', cmd: `sleep 64.${String(process.pid)}` } });
  const { jobs } = execution;
  const running = job('mine.update');
  await until('it has begun', () => jobs.send(JID, 0).to === 'processes');
  expect(jobs.send(JID, SIGTERM)).toMatchObject({ to: 'processes' });
  expect((await running).success).toBe(false);
});

it('keeps no more values than a mine holds, and does not ask whether it may', async () => {
  const { mine } = aMine(false);
  const items = [
    { name: 'wide', value: Array.from({ length: 100_000 }, () => ({})), allowTgt: '', allowTgtType: 'glob' },
  ];
  const answer = await mine.keep(items, false);
  expect(answer).toMatchObject({ ok: false, refusal: { code: 'bad_request' } });
  expect(JSON.stringify(answer)).toContain('at most 100000 values');
});
