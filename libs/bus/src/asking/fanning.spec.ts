/** Rules of a fan-out that is sealed in part before it may go, and for the rest on its way. */
import type { KnownParty } from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import { aFleet, type Fleet, JID, PATIENCE, settle, useWorld } from './world.spec-support.js';

const world = useWorld();
/** So many are sealed at a time. */
const SOME = 32;

function readyFor({ gateway }: Fleet, targets: Fleet['targets']) {
  const fan = { contract: contracts.presence, body: { jids: [JID] }, targets, answers: contracts.here };
  return gateway.bus.readyFan({ ...fan, timeoutMs: PATIENCE });
}

function known(count: number): Fleet {
  const fleet = aFleet(world(), count);
  for (const minion of fleet.minions) minion.knows(fleet.gateway);
  return fleet;
}

const partsOf = ({ heard }: Fleet) => heard.map((opened) => opened.map(({ private: part }) => [...part]));

it('says whether any are left to seal, and sends nothing by it', async () => {
  const fleet = known(2 * SOME + 1);
  const ready = readyFor(fleet, fleet.targets);
  expect([1, 2, 3, 4].map(() => ready.sealSome())).toEqual([true, true, false, false]);
  await settle();
  expect([fleet.gateway.sent, fleet.heard.flat()]).toEqual([[], []]);
});

it.each([
  ['nothing', 0],
  ['some', 1],
  ['all', 3],
])('reaches each once, with his own private part, when %s was sealed before', async (_, times) => {
  const fleet = known(2 * SOME + 1);
  const ready = readyFor(fleet, fleet.targets);
  for (let n = 0; n < times; n += 1) ready.sealSome();
  const stop = ready.send({ onNoResponders: () => undefined });
  await settle();
  expect(partsOf(fleet)).toEqual(fleet.targets.map((_target, index) => [[0x91, index]]));
  stop();
});

it('counts one that nothing can be sealed to as not there, be it among the first or the last; the others hear it', async () => {
  const fleet = known(2 * SOME);
  const poisoned = (party: KnownParty): KnownParty => ({ ...party, epochKey: fleet.gateway.known.epochKey });
  const liars = [0, 2 * SOME - 1];
  const targets = fleet.targets.map((target, index) =>
    liars.includes(index) ? { ...target, party: poisoned(target.party) } : target,
  );
  const ready = readyFor(fleet, targets);
  ready.sealSome();
  const absent: number[] = [];
  const stop = ready.send({ onNoResponders: (index) => absent.push(index) });
  expect(absent).toEqual([]);
  await settle();
  expect(absent).toEqual(liars);
  expect(fleet.heard.map((opened) => opened.length)).toEqual(
    targets.map((_, index) => (liars.includes(index) ? 0 : 1)),
  );
  stop();
});

it('of much to each goes out a part at a time, also what was sealed before, and reaches all once', async () => {
  const fleet = known(5);
  const heard: number[] = [];
  const targets = fleet.targets.map((target, index) => {
    const subject = `${target.subject}.large`;
    fleet.minions[index]?.bus.serve(subject, undefined, [contracts.job], () => heard.push(index));
    return { ...target, subject };
  });
  const grant = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
  const body = { request: new Uint8Array(6 << 20), grant, instance: 'gw1' };
  const ready = fleet.gateway.bus.readyFan({ contract: contracts.job, body, targets, timeoutMs: PATIENCE });
  expect(ready.sealSome()).toBe(false);
  const stop = ready.send({ onNoResponders: () => undefined });
  expect(fleet.gateway.sent).toHaveLength(3);
  await settle();
  expect(heard).toEqual([0, 1, 2, 3, 4]);
  stop();
});
