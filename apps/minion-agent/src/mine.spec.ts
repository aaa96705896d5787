/** Rules of updating the mine: at the start, then every so often, and one at a time. */
import { jest } from '@jest/globals';
import type { Outcome } from '@natrium/modules';
import { pino } from 'pino';
import type { LiveLink } from './live-link.js';
import { Mine } from './mine.js';

const MINUTE_MS = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('leaves an update out while the one before is under way, and goes on when that is done', async () => {
  const done: (() => void)[] = [];
  const mine = new Mine({
    link: {} as LiveLink,
    log: pino({ enabled: false }),
    functions: { 'network.interfaces': [] },
    intervalMinutes: 1,
    pillar: () => ({}),
    run: () =>
      new Promise<Outcome>((resolve) => {
        done.push(() => {
          resolve({ ret: true, retcode: 0, success: true, notes: [] });
        });
      }),
  });
  mine.start();
  await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
  expect(done).toHaveLength(1);
  done[0]?.();
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect(done).toHaveLength(2);
  mine.stop();
});
