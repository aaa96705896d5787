/** Rules of the look at who is there: it comes to an end whatever the minions that it looks at have said of themselves. */
import type { RoleLink } from '@natrium/edge';
import { sodiumReady } from '@natrium/envelope';
import { jest } from '@jest/globals';
import type { Minions } from './minions.js';
import { Presence } from './presence.js';

const JID = '20261120141646000001';
const KEY = 'ab'.repeat(32);

interface Hearing {
  onAnswer(index: number, body: { readonly running: readonly string[] }): void;
  onNoResponders(index: number): void;
}

/** Looks at one minion; `fanOut` is what the bus does. */
function looking(fanOut: (hear: Hearing) => () => void, silenceMs?: number) {
  const link = {
    transport: { flush: () => Promise.resolve(), isClosed: false },
    bus: { fanOut: (_: unknown, hear: Hearing) => fanOut(hear) },
    directory: { jobsOf: () => ({ owner: { type: 'identity', key: new Uint8Array(32) }, keyId: new Uint8Array(16) }) },
    subjects: { job: (fp: string) => fp },
  };
  const presence = new Presence(link as unknown as RoleLink, { keyNow: (key) => key } as Minions);
  return presence.lookAt(JID, [KEY], silenceMs);
}

beforeAll(sodiumReady);
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('a minion that nothing can be sealed to is gone, also when that is known before anything was sent', async () => {
  const stop = jest.fn();
  const seen = looking((hear) => {
    void Promise.resolve().then(() => {
      hear.onNoResponders(0);
    });
    return stop;
  });
  expect(await seen).toEqual({ gone: [KEY], running: [] });
  expect(stop).toHaveBeenCalledTimes(1);
  expect(jest.getTimerCount()).toBe(0);
});

it('who says nothing is neither gone nor at work, and is not waited for', async () => {
  const stop = jest.fn();
  const seen = looking(() => stop);
  await jest.advanceTimersByTimeAsync(1000);
  expect(await seen).toEqual({ gone: [], running: [] });
  expect(stop).toHaveBeenCalledTimes(1);
});

it('but is waited for where a caller waits, for as long as that is said', async () => {
  const hearings: Hearing[] = [];
  const stop = jest.fn();
  const answered = looking((hear) => {
    hearings.push(hear);
    return stop;
  }, 10_000);
  await jest.advanceTimersByTimeAsync(9000);
  hearings.at(-1)?.onAnswer(0, { running: [JID] });
  expect(await answered).toEqual({ gone: [], running: [KEY] });
  expect(stop).toHaveBeenCalledTimes(hearings.length);
  const silent = looking(() => stop, 10_000);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await silent).toEqual({ gone: [], running: [] });
});

it('a look that cannot begin fails then and there, and leaves no timer that throws', async () => {
  const seen = looking(() => {
    throw new Error('it cannot be sealed');
  });
  await expect(seen).rejects.toThrow('it cannot be sealed');
  expect(jest.getTimerCount()).toBe(0);
  await jest.advanceTimersByTimeAsync(1000);
});
