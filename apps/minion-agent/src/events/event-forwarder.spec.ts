/** Rules of sending events: one row of tries, however many events are fired while nobody takes them. */
import { jest } from '@jest/globals';
import { err, ok } from '@natrium/model';
import type { LiveLink } from '../link/live-link.js';
import { EventForwarder } from './event-forwarder.js';
import type { EventSpool } from './event-spool.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A spool with one event, and a gateway that may be there. */
function aForwarder() {
  const gateway = { isThere: false, silence: 'nobody_known', asked: 0 };
  const patience: number[] = [];
  let waiting = 1;
  let brokerIsBack = () => undefined as unknown;
  const link = {
    steady: <T>(ask: () => T) => ask(),
    subjects: { up: () => 'event' },
    own: { fp: 'fp' },
    directory: { role: () => [] },
    bus: {
      ask: (_question: unknown, _answers: unknown, ms: number) => {
        gateway.asked += 1;
        patience.push(ms);
        return Promise.resolve(gateway.isThere ? ok({ body: { through: 1 } }) : err(gateway.silence));
      },
    },
    whenBack: (back: () => void) => (brokerIsBack = back),
  } as unknown as LiveLink;
  const spool = {
    last: 1,
    get ready() {
      return waiting > 0;
    },
    batch: () => (waiting > 0 ? { first: 1, dropped: 0, events: [] } : undefined),
    forget: () => (waiting = 0),
  } as unknown as EventSpool;
  const problems: string[] = [];
  const forwarder = new EventForwarder(
    link,
    spool,
    (problem) => problems.push(problem),
    () => 1,
  );
  return { forwarder, gateway, patience, problems, fire: () => (waiting += 1), isBack: () => brokerIsBack() };
}

/** Fifty events, one every 20 ms. */
async function fireFifty(forwarder: EventForwarder): Promise<void> {
  for (let n = 0; n < 50; n += 1) {
    forwarder.wake();
    await jest.advanceTimersByTimeAsync(20);
  }
}

it('tries again twice a second while nobody is there, however many events are fired', async () => {
  const { forwarder, gateway, problems } = aForwarder();
  await fireFifty(forwarder);
  expect(gateway.asked).toBeLessThanOrEqual(3);
  gateway.asked = 0;
  await jest.advanceTimersByTimeAsync(1000);
  expect(gateway.asked).toBeLessThanOrEqual(3);
  expect(problems).toEqual([]);
  forwarder.close();
});

it('sends what waited when somebody is there again, and what comes then at once', async () => {
  const { forwarder, gateway, fire } = aForwarder();
  await fireFifty(forwarder);
  gateway.isThere = true;
  gateway.asked = 0;
  await jest.advanceTimersByTimeAsync(500);
  expect(gateway.asked).toBe(1);
  fire();
  forwarder.wake();
  await jest.advanceTimersByTimeAsync(0);
  expect(gateway.asked).toBe(2);
});

it('tries no more when it is closed', async () => {
  const { forwarder, gateway } = aForwarder();
  forwarder.wake();
  await jest.advanceTimersByTimeAsync(20);
  forwarder.close();
  await jest.advanceTimersByTimeAsync(5000);
  expect(gateway.asked).toBe(1);
});

describe('while somebody may hear what is sent, and says nothing', () => {
  it('sends it less and less often, each time with more patience, and at last every 45 s at most', async () => {
    const { forwarder, gateway, patience } = aForwarder();
    gateway.silence = 'timeout';
    forwarder.wake();
    const gaps: number[] = [];
    for (let n = 0, since = 0; gaps.length < 9 && n < 2000; n += 1) {
      const before = gateway.asked;
      await jest.advanceTimersByTimeAsync(250);
      since += 250;
      if (gateway.asked === before) continue;
      if (before > 0) gaps.push(since);
      since = 0;
    }
    expect(gaps).toEqual([750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000, 45_000]);
    expect(patience.slice(0, 4)).toEqual([5000, 5000, 10_000, 10_000]);
    forwarder.close();
  });

  it('sends it at once when the broker is back after it was away, and begins to wait anew', async () => {
    const { forwarder, gateway, isBack } = aForwarder();
    gateway.silence = 'timeout';
    forwarder.wake();
    await jest.advanceTimersByTimeAsync(60_000);
    gateway.asked = 0;
    isBack();
    await jest.advanceTimersByTimeAsync(0);
    expect(gateway.asked).toBe(1);
    await jest.advanceTimersByTimeAsync(750);
    expect(gateway.asked).toBe(2);
    forwarder.close();
    isBack();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gateway.asked).toBe(2);
  });

  it('sends the next batch at once when an answer has come', async () => {
    const { forwarder, gateway, patience, fire } = aForwarder();
    gateway.silence = 'timeout';
    forwarder.wake();
    await jest.advanceTimersByTimeAsync(10_000);
    gateway.isThere = true;
    await jest.advanceTimersByTimeAsync(60_000);
    gateway.asked = 0;
    fire();
    forwarder.wake();
    await jest.advanceTimersByTimeAsync(0);
    expect([gateway.asked, patience.at(-1)]).toEqual([1, 5000]);
  });
});
