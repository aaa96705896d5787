/**
 * Rules of the agent's epochs: one that is over by the clock is followed by the next, however long the host slept, and told; a
 * clock that was set is corrected, and the end of the roles document is told.
 */
import { jest } from '@jest/globals';
import { Clock, OwnParty } from '@natrium/bus';
import { clusterOf, equalBytes, identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import { pino } from 'pino';
import { Epochs } from './epochs.js';
import type { LiveLink } from '../link/live-link.js';

const NOW = 1_795_000_000_000;
const AN_HOUR = 3_600_000;

beforeAll(sodiumReady);

/** An agent whose host sleeps as a test wants it: then the clock goes on, and no timer does. The cluster's time is `rightMs`. */
function anAgent() {
  const { publicKey: key, signing } = identityFrom(newIdentitySecret());
  const world = {
    nowMs: NOW,
    awakeMs: 0,
    rightMs: () => world.nowMs,
    aclIsThere: true,
    /** Whether what an acl-service announced last counts. */
    aclCounts: true,
    ahead: undefined as string | undefined,
    isInDoubt: false,
    /** What is wrong with the answer to hello. */
    problem: undefined as { readonly code: string; readonly sentence: string } | undefined,
    takes: true,
    done: [] as string[],
  };
  const lines: string[] = [];
  const document = { serial: 1, notAfter: NOW + 1000 * AN_HOUR };
  const clock = new Clock(30_000, () => world.nowMs, () => world.awakeMs); // prettier-ignore
  const own = new OwnParty(
    { owner: { type: 'identity', key }, signing, cluster: clusterOf(key), use: 'jobs', rolesSerial: 1 },
    { epochMs: AN_HOUR, overlapMs: 60_000, announcementMs: AN_HOUR },
  );
  own.rotate(NOW);
  let back: () => void = () => undefined;
  const link = {
    own,
    clock,
    services: () => (world.aclCounts ? ['acl'] : []),
    roles: { document, onNewer: () => undefined },
    transport: { whenBack: (call: () => void) => (back = call) },
    greet: () => {
      world.done.push('greeted');
      if (!world.aclIsThere) return Promise.resolve({ code: 'no_answer', sentence: 'nobody' });
      if (world.problem !== undefined) return Promise.resolve(world.problem);
      clock.adjust(world.rightMs(), world.nowMs, world.nowMs);
      world.aclCounts = true;
      return Promise.resolve(undefined);
    },
  };
  const send = () => {
    world.done.push('sent');
    return world.takes ? Promise.resolve() : Promise.reject(new Error('nobody'));
  };
  const parts = { epochMs: AN_HOUR, trust: { keep: () => undefined, aheadOf: () => world.ahead, takeDoubt: () => world.isInDoubt }, data: { send }, log: pino({}, { write: (line: string) => void lines.push(line) }) }; // prettier-ignore
  const epochs = new Epochs(link as unknown as LiveLink, parts);
  const first = own.keyring.currentKeyId;
  const isNew = () => !equalBytes(own.keyring.currentKeyId, first);
  return { world, epochs, own, clock, document, lines, isNew, isBack: () => { back(); } }; // prettier-ignore
}

it('one that is over by the clock is followed by the next, when the broker is back or at the next look; no other is', async () => {
  const { world, epochs, isNew, isBack } = anAgent();
  world.nowMs = NOW + AN_HOUR - 1;
  world.awakeMs = AN_HOUR - 1;
  isBack();
  await epochs.look();
  expect([isNew(), world.done]).toEqual([false, []]);
  world.nowMs += 1;
  world.awakeMs += 1;
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
    expect(slept.world.done).toEqual(['greeted', 'greeted', 'sent']);
    expect(still.isNew()).toBe(true);
    for (const { epochs } of [slept, still]) epochs.stop();
  } finally {
    jest.useRealTimers();
  }
});

it('somebody whom nobody here knows is asked about, and what is wrong with the roles document is said once', async () => {
  const { world, epochs, lines } = anAgent();
  await epochs.look();
  expect(world.done).toEqual([]);
  const sentence = 'the roles document is older';
  Object.assign(world, { isInDoubt: true, problem: { code: 'roles_invalid', sentence } });
  for (let n = 0; n < 3; n += 1) await epochs.look();
  expect(world.done).toEqual(['greeted', 'greeted', 'greeted']);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: 50, msg: sentence }),
  ]);
  world.isInDoubt = false;
  await epochs.look();
  expect(world.done).toHaveLength(3);
  epochs.stop();
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

describe('a clock that was set', () => {
  it('is corrected at the next look, once; one that only goes on is left alone', async () => {
    const { world, epochs, own, clock } = anAgent();
    // It was an hour behind when hello was said, and is set right after that.
    clock.adjust(NOW + AN_HOUR, NOW, NOW);
    own.rotate(clock.now());
    world.nowMs += 60_000;
    world.awakeMs += 60_000;
    await epochs.look();
    expect([world.done, clock.offsetMs]).toEqual([[], AN_HOUR]);
    world.nowMs += AN_HOUR;
    await epochs.look();
    await epochs.look();
    expect([world.done, clock.offsetMs]).toEqual([['greeted'], 0]);
    epochs.stop();
  });

  it('is asked for at each look until an acl-service has answered', async () => {
    const { world, epochs } = anAgent();
    Object.assign(world, { nowMs: NOW - AN_HOUR, aclIsThere: false });
    await epochs.look();
    await epochs.look();
    world.aclIsThere = true;
    await epochs.look();
    await epochs.look();
    expect(world.done).toEqual(['greeted', 'greeted', 'greeted']);
    epochs.stop();
  });

  it('is asked for when no acl-service is known any more, whose own may have been set, and not while one is', async () => {
    const { world, epochs, own, clock, lines } = anAgent();
    clock.adjust(NOW + AN_HOUR, NOW, NOW);
    own.rotate(clock.now());
    await epochs.look();
    expect([world.done, clock.offsetMs]).toEqual([[], AN_HOUR]);
    Object.assign(world, { aclCounts: false, aclIsThere: false });
    for (let times = 0; times < 3; times += 1) await epochs.look();
    expect([lines.length, clock.offsetMs]).toEqual([1, AN_HOUR]); // told once, however long it lasts
    world.aclIsThere = true;
    world.ahead = 'stop this agent, remove that file and start it again';
    for (let times = 0; times < 3; times += 1) await epochs.look();
    expect([world.done.length, clock.offsetMs]).toEqual([4, 0]);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/"level":50.*remove that file/)]);
    epochs.stop();
  });

  it('ends no epoch and begins none at a time that is not the cluster’s', async () => {
    const { world, epochs, own, clock, isNew } = anAgent();
    Object.assign(world, { nowMs: NOW + 2 * AN_HOUR, rightMs: () => NOW });
    await epochs.look();
    expect([isNew(), clock.now()]).toEqual([false, NOW]);
    Object.assign(world, { nowMs: NOW + 1000, rightMs: () => NOW + 1000 });
    await epochs.begin();
    expect([isNew(), own.keyring.current.notBefore]).toEqual([true, NOW + 1000]);
    epochs.stop();
  });
});

it('that is over begins none once the agent has stopped, though it was being looked at then', async () => {
  jest.useFakeTimers();
  try {
    const { world, epochs, isNew } = anAgent();
    Object.assign(world, { nowMs: NOW + 2 * AN_HOUR });
    const looked = epochs.look();
    epochs.stop();
    const left = jest.getTimerCount();
    await looked;
    expect([isNew(), jest.getTimerCount()]).toEqual([false, left]);
  } finally {
    jest.useRealTimers();
  }
});

it('tells once that the roles document has ended, and what to do; of one that counts it tells nothing', async () => {
  const { epochs, document, lines } = anAgent();
  await epochs.look();
  expect(lines).toEqual([]);
  document.notAfter = NOW - 1;
  await epochs.look();
  await epochs.look();
  expect(lines).toEqual([expect.stringMatching(/"level":50.*roles document 1 ended at .*natriumctl roles renew/)]);
  document.notAfter = NOW;
  await epochs.look();
  document.notAfter = NOW - 1;
  await epochs.look();
  expect(lines).toHaveLength(2);
  epochs.stop();
});
