/** Rules of what a log says of messages that were not opened: it is bounded, and hides no other reason. */
import { jest } from '@jest/globals';
import { tellingUnopened } from './telling-unopened.js';

const MINUTE_MS = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function aLog() {
  const warned: object[] = [];
  const debugged: object[] = [];
  const tell = tellingUnopened({
    warn: (about) => warned.push(about),
    debug: (about) => debugged.push(about),
  });
  const flood = (reason: string, count: number) => {
    for (let n = 0; n < count; n += 1) tell(reason, 'nt.main.join');
  };
  return { warned, debugged, flood };
}

const first = (reason: string) => ({ reason, subject: 'nt.main.join' });

it('a flood is one line, and one a minute that counts; all of it is there for who debugs', () => {
  const { warned, debugged, flood } = aLog();
  flood('truncated', 20_000);
  expect(warned).toEqual([first('truncated')]);
  jest.advanceTimersByTime(MINUTE_MS);
  flood('truncated', 5000);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(warned.slice(1)).toEqual([{ counts: { truncated: 19_999 } }, { counts: { truncated: 5000 } }]);
  expect(debugged).toHaveLength(24_999);
});

it('hides no other reason', () => {
  const { warned, flood } = aLog();
  flood('truncated', 100);
  flood('replayed', 1);
  flood('kind', 2);
  expect(warned).toEqual([first('truncated'), first('replayed'), first('kind')]);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(warned.slice(3)).toEqual([{ counts: { truncated: 99, kind: 1 } }]);
});

it('is told anew after a minute without one, and nothing is said of that minute', () => {
  const { warned, flood } = aLog();
  flood('truncated', 1);
  jest.advanceTimersByTime(MINUTE_MS);
  expect(jest.getTimerCount()).toBe(0);
  flood('truncated', 1);
  expect(warned).toEqual([first('truncated'), first('truncated')]);
});

it('what its sender mends by himself is no warning, and hides none', () => {
  const warned: string[] = [];
  const debugged: string[] = [];
  const into = (lines: string[]) => (about: object) => void lines.push(JSON.stringify(about));
  const tell = tellingUnopened({ warn: into(warned), debug: into(debugged) });
  tell('unknown_sender', 'nt.main.usr.x.publish', true);
  expect([warned.length, debugged.length, jest.getTimerCount()]).toEqual([0, 1, 0]);
  tell('unknown_sender', 'nt.main.usr.x.publish', false);
  expect(warned).toHaveLength(1);
});
