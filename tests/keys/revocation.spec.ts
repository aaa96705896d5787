/**
 * Promise 12: a key that is taken away is refused within a second, in the middle of a job, and nobody else notices. The broker
 * helps in nothing here: `broker_auth` is none.
 */
import { fingerprint } from '@natrium/envelope';
import { readIdentity } from '@natrium/keystore';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { printFigure } from '../support/figures.js';
import { START_MS } from '../support/up-cluster.js';
import { ask, keysWorld, type KeysWorld } from './world.js';

const ROUNDS = Number(process.env['NATRIUM_REVOCATIONS'] ?? 5);
const AT_MOST_MS = 1000;
const REFUSED = 13;

let world: KeysWorld;
beforeAll(async () => {
  world = await keysWorld({ brokerAuth: 'none', master: 'request_rate: 5\nrequest_burst: 100\n' });
}, START_MS);
afterAll(() => world.stop());

function keyOf(id: string) {
  const identity = readIdentity(join(world.cluster.minion(id), 'pki', 'minion.key'));
  if (identity === undefined) throw new Error(`${id} has no key`);
  return { id, fingerprint: fingerprint(identity.publicKey) };
}

async function decide(fun: 'key.accept' | 'key.reject', id: string): Promise<void> {
  const done = await world.master.client.admin('key', fun, [keyOf(id)]);
  if (!done.ok) throw new Error(done.error.sentence);
}

/** A job that would take long is running; what its caller hears of the minion, and when. */
async function takenAwayMidJob(id: string): Promise<{ readonly ms: number; readonly why: unknown }> {
  let began = 0;
  for await (const news of world.master.client.publish(ask([id], 'test.sleep', '15'))) {
    if (news.type === 'started') {
      began = performance.now();
      await decide('key.reject', id);
    }
    if (news.type === 'end') return { ms: performance.now() - began, why: news.absent[0]?.why };
  }
  throw new Error('the job had no end');
}

/** @param timeout Seconds: short where it is tried again, patient where the answer counts. */
async function pings(id: string, timeout = 20): Promise<boolean> {
  for await (const news of world.master.client.publish({ ...ask([id], 'test.ping'), timeout }))
    if (news.type === 'return') return true;
  return false;
}

it(
  'ends its part of a job within a second; let in again, it works',
  async () => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { ms, why } = await takenAwayMidJob('c');
      expect(why).toBe('refused');
      times.push(ms);
      await decide('key.accept', 'c');
      await until('c is back', () => pings('c', 1));
    }
    times.sort((a, b) => a - b);
    printFigure('revocation in the middle of a job, median', times[Math.floor(times.length / 2)] ?? 0);
    printFigure('revocation in the middle of a job, worst', times.at(-1) ?? 0);
    // The median: a machine that is busy elsewhere makes single rounds late.
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(AT_MOST_MS);
  },
  START_MS,
);

it('refuses what it asks from then on; the others are asked and answer as before', async () => {
  const before = world.cluster.processes().map(({ pid }) => pid);
  expect((await world.cluster.call('b', 'publish.publish', 'a', 'test.ping')).code).toBe(0);
  await decide('key.reject', 'b');
  const refused = await world.cluster.call('b', 'publish.publish', 'a', 'test.ping');
  expect(refused).toMatchObject({ code: REFUSED });
  expect(await Promise.all([pings('a'), pings('c')])).toEqual([true, true]);
  await decide('key.accept', 'b');
  expect(world.cluster.processes().map(({ pid }) => pid)).toEqual(before);
  expect(world.cluster.lines.filter((line) => /reconnect|disconnect/.test(line))).toEqual([]);
});

it('a minion that asks too much is told to slow down, and another is not', async () => {
  // Far more than the bucket holds, so that what it gains on a slow machine meanwhile lets not all of them in.
  const sockets = await Promise.all(Array.from({ length: 240 }, () => world.cluster.socket('a')));
  const asked = sockets.map((socket) => socket.call('publish.publish', 'c', 'test.ping'));
  const other = await world.cluster.call('c', 'publish.publish', 'c', 'test.ping');
  const answers = await Promise.all(asked);
  const codes = answers.map((answer) => answer.refusal?.code).filter((code) => code !== undefined);
  expect(codes.length).toBeGreaterThanOrEqual(10);
  expect(new Set(codes)).toEqual(new Set(['slow_down']));
  expect(other.code).toBe(0);
  for (const socket of sockets) socket.close();
});
