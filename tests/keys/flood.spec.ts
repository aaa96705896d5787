/**
 * One minion asks as fast as it can; another's `test.ping` hardly notices.
 *
 * On a quiet machine: `NATRIUM_FLOOD=20000 npm test -- tests/keys/flood`, which also holds the p99 to a tenth above what it was.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { printFigure } from '../support/figures.js';
import { START_MS } from '../support/up-cluster.js';
import { keysWorld, type KeysWorld } from './world.js';

const WHOLE = 20_000;
const FLOOD = Number(process.env['NATRIUM_FLOOD'] ?? 1000);
const SOCKETS = 50;
/** Quiet ones before the flood, and as many after it, so that a machine that grows faster or slower meanwhile weighs on both sides. */
const PINGS = FLOOD >= WHOLE ? 2000 : 25;
const MOST_PINGS_DURING = FLOOD >= WHOLE ? FLOOD : PINGS;
/** What b's pings need, and little more. */
const RATE = FLOOD >= WHOLE ? 50 : 5;
const MOST_RISE = 1.1;

let world: KeysWorld;
beforeAll(async () => {
  world = await keysWorld({ master: `request_rate: ${String(RATE)}\nrequest_burst: 100\n` });
}, START_MS);
afterAll(() => world.stop());

/** Sends all of it over as many sockets as the agent has callers. @returns How many were told to slow down. */
async function flood(from: string, count: number): Promise<number> {
  let slowed = 0;
  const one = async () => {
    const socket = await world.cluster.socket(from);
    for (let n = 0; n < count / SOCKETS; n += 1) {
      const { refusal } = await socket.call('publish.publish', 'c', 'test.ping');
      if (refusal?.code === 'slow_down') slowed += 1;
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: SOCKETS }, one));
  return slowed;
}

/** Milliseconds of each of b's pings, within its budget, until so many or until the signal. */
async function pings(count = PINGS, until?: AbortSignal): Promise<readonly number[]> {
  const socket = await world.cluster.socket('b');
  const times: number[] = [];
  while (times.length < count && until?.aborted !== true) {
    const { ms, ret } = await socket.call('publish.publish', 'c', 'test.ping');
    expect(ret).toEqual({ c: true });
    times.push(ms);
    await pause(Math.max(25 - ms, 0));
  }
  socket.close();
  return times;
}

/** b's pings for as long as the flood lasts; in the short round no more than its budget allows. */
async function pingsDuring(ended: Promise<unknown>): Promise<readonly number[]> {
  const over = new AbortController();
  void ended.finally(() => { over.abort(); }).catch(() => undefined); // prettier-ignore
  return pings(MOST_PINGS_DURING, over.signal);
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0;

it('a flood from one minion is told to slow down; another minion is answered each time', async () => {
  await pings(PINGS / 4); // code that runs for the first time is slow, and would pass for what is usual
  const before = await pings();
  const flooding = flood('a', FLOOD);
  const during = await pingsDuring(flooding);
  const slowed = await flooding;
  const after = await pings();
  const quiet = p99([...before, ...after]);
  printFigure(`p99 of another's ping, quiet: before ${String(p99(before))}, after ${String(p99(after))}, both`, quiet);
  printFigure(`p99 of ${String(during.length)} pings of another during a flood of ${String(FLOOD)}`, p99(during));
  expect(slowed).toBeGreaterThan(FLOOD / 10);
  if (FLOOD >= WHOLE) expect(p99(during)).toBeLessThanOrEqual(quiet * MOST_RISE);
}, 600_000);
