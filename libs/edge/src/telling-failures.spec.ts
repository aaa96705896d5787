/** Rules of what a log says of requests that got no answer: an outage is a line of each route and a count, a fault has its stack. */
import { jest } from '@jest/globals';
import { Unanswered } from '@natrium/model';
import { tellingFailures } from './telling-failures.js';

const PUBLISH = 'up.*.publish';
const DATA = 'up.*.acl.data';

class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function aLog() {
  const told: object[] = [];
  const debugged: object[] = [];
  const at = (level: string) => (about: object) => void told.push({ level, ...about });
  const tell = tellingFailures({ error: at('error'), warn: at('warn'), debug: (about) => debugged.push(about) });
  return { told, debugged, tell };
}

it.each([
  ['to which nobody could tell what became of it', new Unanswered('nobody decided')],
  ['whose store did not answer', new TimeoutError('timeout')],
])('a request %s is one warning of its route without a stack, and one a minute that counts', (_, cause) => {
  const { told, debugged, tell } = aLog();
  for (let n = 0; n < 1000; n += 1) expect(tell(PUBLISH, cause)).toBe('outage');
  tell(DATA, cause);
  const why = cause.message;
  expect(told).toEqual([
    { level: 'warn', route: PUBLISH, why },
    { level: 'warn', route: DATA, why },
  ]);
  expect(debugged).toHaveLength(999);
  jest.advanceTimersByTime(60_000);
  expect(told.slice(2)).toEqual([{ level: 'warn', counts: { [PUBLISH]: 999 } }]);
  jest.advanceTimersByTime(60_000);
  expect([told.length, jest.getTimerCount()]).toEqual([3, 0]);
});

it('any other failure is an error with what was thrown, each of them, also in an outage', () => {
  const { told, tell } = aLog();
  const [outage, fault] = [new Unanswered('nobody decided'), new Error('a fault')];
  expect([outage, fault, fault].map((cause) => tell(PUBLISH, cause))).toEqual(['outage', 'fault', 'fault']);
  expect(told).toEqual([
    { level: 'warn', route: PUBLISH, why: 'nobody decided' },
    { level: 'error', route: PUBLISH, err: fault },
    { level: 'error', route: PUBLISH, err: fault },
  ]);
});
