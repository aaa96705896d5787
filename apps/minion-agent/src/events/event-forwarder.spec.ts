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
  const gateway = { isThere: false, asked: 0 };
  let waiting = 1;
  const link = {
    steady: <T>(ask: () => T) => ask(),
    subjects: { up: () => 'event' },
    own: { fp: 'fp' },
    directory: { role: () => [] },
    bus: {
      ask: () => {
        gateway.asked += 1;
        return Promise.resolve(gateway.isThere ? ok({ body: { through: 1 } }) : err('nobody_known'));
      },
    },
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
  const forwarder = new EventForwarder(link, spool, (problem) => problems.push(problem));
  return { forwarder, gateway, problems, fire: () => (waiting += 1) };
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
