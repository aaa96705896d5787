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

const PARTY = { owner: { type: 'identity', key: new Uint8Array(32) }, keyId: new Uint8Array(16) };

/** `fanOut` is what the bus does. */
function aLook(fanOut: (hear: Hearing) => () => void, minions: Partial<Minions>, jobsOf: (key: string) => unknown) {
  const link = {
    transport: { flush: () => Promise.resolve(), isClosed: false },
    bus: { fanOut: (_: unknown, hear: Hearing) => fanOut(hear) },
    directory: { jobsOf },
    subjects: { job: (fp: string) => fp },
  };
  return new Presence(link as unknown as RoleLink, minions as Minions);
}

/** Looks at one minion. */
function looking(fanOut: (hear: Hearing) => () => void, silenceMs?: number) {
  return aLook(fanOut, { keyNow: (key) => key }, () => PARTY).lookAt(JID, [KEY], silenceMs);
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

it('connected is who answers, however late, and who is silent where the broker does not say that nobody hears', async () => {
  const [LATE, GONE, SILENT, UNKNOWN] = [0, 1, 2, 3];
  const ids = ['late', 'gone', 'silent', 'unknown'];
  const hearings: Hearing[] = [];
  const fanOut = (hear: Hearing) => {
    // Who is gone is asked twice, and those after it then move up.
    if (hearings.push(hear) <= 2) hear.onNoResponders(GONE);
    return () => undefined;
  };
  const all = () => ids.map((id, n) => ({ id, key: `0${String(n)}`.repeat(32) }));
  const isUnknown = (key: string) => key === `0${String(UNKNOWN)}`.repeat(32);
  const found = aLook(fanOut, { all }, (key) => (isUnknown(key) ? undefined : PARTY)).connected();
  await jest.advanceTimersByTimeAsync(3000);
  hearings[0]?.onAnswer(LATE, { running: [] });
  await jest.advanceTimersByTimeAsync(3000);
  expect(await found).toEqual({ answering: [ids[LATE]], silent: [ids[SILENT]] });
  expect(jest.getTimerCount()).toBe(0);
});

describe('who is there', () => {
  const [HERE, GONE, LATE] = [0, 1, 2];
  const all = () => ['here', 'gone', 'late'].map((id, n) => ({ id, key: `0${String(n)}`.repeat(32) }));
  let hearings: Hearing[];
  const asking = (silenceMs?: number) => {
    hearings = [];
    const fanOut = (hear: Hearing) => {
      if (hearings.push(hear) > 1) return () => undefined;
      hear.onAnswer(HERE, { running: [] });
      hear.onNoResponders(GONE);
      return () => undefined;
    };
    let told: readonly string[] | undefined;
    const look = aLook(fanOut, { all }, () => PARTY);
    void look.ask(silenceMs).then((present) => (told = present.map(({ id }) => id)));
    return () => told;
  };

  it('is told as soon as the last has answered: the word of the broker that one is gone suffices', async () => {
    const told = asking(15_000);
    await jest.advanceTimersByTimeAsync(0);
    expect(told()).toBeUndefined();
    hearings[0]?.onAnswer(LATE, { running: [] });
    await jest.advanceTimersByTimeAsync(0);
    expect(told()).toEqual(['here', 'late']);
    expect([hearings.length, jest.getTimerCount()]).toEqual([1, 0]);
  });

  it.each([
    ['where nothing is said', undefined, 5000],
    ['below a second', 10, 1000],
    ['for a while', 15_000, 15_000],
    ['for ever', 1e9, 300_000],
  ])('a second at least and five minutes at most is waited for who is silent: %s', async (_about, silenceMs, ms) => {
    const told = asking(silenceMs);
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(told()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(told()).toEqual(['here']);
    const late = asking(silenceMs);
    await jest.advanceTimersByTimeAsync(ms - 1);
    hearings.at(-1)?.onAnswer(hearings.length === 1 ? LATE : 0, { running: [] });
    await jest.advanceTimersByTimeAsync(0);
    expect(late()).toEqual(['here', 'late']);
  });
});
