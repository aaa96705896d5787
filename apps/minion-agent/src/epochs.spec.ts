/** Rules of the agent's epochs: one that is over by the clock is followed by the next, however long the host slept, and told. */
import { jest } from '@jest/globals';
import { Clock, OwnParty } from '@natrium/bus';
import { clusterOf, equalBytes, identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import { pino } from 'pino';
import { Epochs } from './epochs.js';
import type { LiveLink } from './live-link.js';

const NOW = 1_795_000_000_000;
const AN_HOUR = 3_600_000;

beforeAll(sodiumReady);

/** An agent whose host sleeps as a test wants it: then the clock goes on, and no timer does. */
function anAgent() {
  const { publicKey: key, signing } = identityFrom(newIdentitySecret());
  const world = { nowMs: NOW, takes: true, done: [] as string[] };
  const own = new OwnParty(
    { owner: { type: 'identity', key }, signing, cluster: clusterOf(key), use: 'jobs', rolesSerial: 1 },
    { epochMs: AN_HOUR, overlapMs: 60_000, announcementMs: AN_HOUR },
  );
  own.rotate(NOW);
  let back: () => void = () => undefined;
  const link = {
    own,
    clock: new Clock(30_000, () => world.nowMs),
    roles: { onNewer: () => undefined },
    transport: { whenBack: (call: () => void) => (back = call) },
    greet: () => Promise.resolve(void world.done.push('greeted')),
  };
  const send = () => {
    world.done.push('sent');
    return world.takes ? Promise.resolve() : Promise.reject(new Error('nobody'));
  };
  const parts = { epochMs: AN_HOUR, trust: { keep: () => undefined }, data: { send }, log: pino({ enabled: false }) };
  const epochs = new Epochs(link as unknown as LiveLink, parts);
  const first = own.keyring.currentKeyId;
  const isNew = () => !equalBytes(own.keyring.currentKeyId, first);
  return { world, epochs, isNew, isBack: () => { back(); } }; // prettier-ignore
}

it('one that is over by the clock is followed by the next, when the broker is back or at the next look; no other is', async () => {
  const { world, epochs, isNew, isBack } = anAgent();
  world.nowMs = NOW + AN_HOUR - 1;
  isBack();
  await epochs.look();
  expect([isNew(), world.done]).toEqual([false, []]);
  world.nowMs += 1;
  isBack();
  expect(isNew()).toBe(true);
  await new Promise(setImmediate);
  await epochs.look();
  // Once, and after hello: while it slept, whom it knew has ended.
  expect(world.done).toEqual(['greeted', 'sent']);
  epochs.stop();
});

it('is looked at each minute, and lasts no longer than epoch_hours of a clock that stands still', async () => {
  jest.useFakeTimers();
  try {
    const [slept, still] = [anAgent(), anAgent()];
    slept.world.nowMs = NOW + AN_HOUR;
    await jest.advanceTimersByTimeAsync(60_000);
    expect([slept.isNew(), still.isNew()]).toEqual([true, false]);
    // The next hour begins with the epoch: the timer of the one before does not end it.
    await jest.advanceTimersByTimeAsync(AN_HOUR - 60_000);
    expect(slept.world.done).toEqual(['greeted', 'sent']);
    expect(still.isNew()).toBe(true);
    for (const { epochs } of [slept, still]) epochs.stop();
  } finally {
    jest.useRealTimers();
  }
});

it('one that nobody took is told again until somebody does', async () => {
  const { world, epochs } = anAgent();
  world.takes = false;
  await epochs.begin();
  await epochs.look();
  world.takes = true;
  await epochs.look();
  await epochs.look();
  expect(world.done.filter((one) => one === 'sent')).toHaveLength(3);
  epochs.stop();
});
