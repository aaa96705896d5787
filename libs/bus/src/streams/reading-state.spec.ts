/** Rules of reading that fails: it is told once, tried again more and more seldom, and counts as trouble once it lasts. */
import { JetStreamApiError } from '@nats-io/jetstream';
import { ReadingState } from './reading-state.js';

const LASTS_MS = 10_000;
const NO_LEADER = new Error('JetStream system temporarily unavailable');

function aReading(random = 1) {
  const notices: string[] = [];
  const alerts: string[] = [];
  const world = { now: 0 };
  const overs: string[] = [];
  const tell = {
    notice: (told: string) => notices.push(told),
    alert: (told: string) => alerts.push(told),
    over: (told: string) => overs.push(told),
  };
  const state = new ReadingState('EVENTS', tell, () => world.now, () => random); // prettier-ignore
  /** Fails for so long, one try after the other. */
  const fail = (ms: number) => {
    const pauses: number[] = [];
    for (const end = world.now + ms; world.now <= end; world.now += pauses.at(-1) ?? 0) pauses.push(state.failed(NO_LEADER)); // prettier-ignore
    return pauses;
  };
  return { state, notices, alerts, overs, world, fail };
}

it('is tried again at once, then each four seconds, half of it by chance', () => {
  expect(aReading().fail(20_000)).toEqual([500, 1000, 2000, 4000, 4000, 4000, 4000, 4000]);
  expect(aReading(0).fail(3000)).toEqual([250, 500, 1000, 2000]);
});

it('for two minutes is one notice, one alert once it has lasted, and one word that it is over', () => {
  const { state, notices, alerts, overs, fail } = aReading();
  fail(120_000);
  state.went();
  state.went();
  expect([notices, overs]).toEqual([['reading EVENTS failed and begins again'], ['EVENTS is read again']]);
  expect(alerts).toEqual([`the broker gives nothing to read of EVENTS: ${NO_LEADER.message}`]);
});

it('is no trouble while a leader is voted for, and is one from then on until it is read again', () => {
  const { state, alerts, world } = aReading();
  state.failed(NO_LEADER);
  world.now = LASTS_MS - 1;
  expect([state.trouble, alerts]).toEqual([undefined, []]);
  world.now = LASTS_MS;
  expect(state.trouble).toMatch(/nothing to read of EVENTS: JetStream system temporarily unavailable/);
  state.went();
  expect(state.trouble).toBeUndefined();
});

it('of a stream that nobody has made yet is no trouble, however long that takes', () => {
  const { state, notices, alerts, world } = aReading();
  const missing = new JetStreamApiError({ err_code: 10_059, code: 404, description: 'stream not found' });
  for (; world.now < 60_000; world.now += 4000) state.failed(missing);
  world.now += 4000;
  expect([state.trouble, alerts, notices.length]).toEqual([undefined, [], 1]);
});

it('that fails again later begins anew', () => {
  const { state, notices, overs, fail } = aReading();
  fail(5000);
  state.went();
  expect([notices[1], overs]).toEqual(['EVENTS is read again', []]);
  expect(fail(0)).toEqual([500]);
  expect(state.trouble).toBeUndefined();
  expect(notices).toHaveLength(3);
});
