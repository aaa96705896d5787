/** Rules of which messages that were not opened are a fault: not those that their sender sends again and that are opened then. */
import { contracts } from '@natrium/wire';
import { EVENT, settle, useWorld, World } from './world.spec-support.js';

const world = useWorld();

it('a sender of whom only another replica has heard mends it, and is no fault', async () => {
  const [first, second] = [world().service('gateway', 'gw1'), world().service('gateway', 'gw2')];
  const minion = world().minion().knows(first, second);
  const opened = [first, second].map((one) => one.takeEvents('gateway'));
  for (let n = 0; n < 4; n += 1) await minion.tell(() => minion.directory.role('gateway'));
  expect(opened.flat()).toHaveLength(4);
  expect(new Set([...first.failures, ...second.failures])).toEqual(new Set(['unknown_sender']));
  expect([...first.faults, ...second.faults]).toEqual([]);
});

it('a key of an earlier life of a service is no fault', async () => {
  const old = world().service('gateway', 'gw1').known;
  const minion = world().minion();
  world().nowMs += 1000;
  const gateway = world().service('gateway', 'gw1');
  gateway.takeEvents();
  expect((await minion.tell(() => [old])).ok).toBe(true);
  expect([gateway.failures, gateway.faults]).toEqual([['stale_key'], []]);
});

it('a sender whose announcement is no good is a fault: he has no other', async () => {
  const gateway = world().service('gateway', 'gw1');
  gateway.takeEvents();
  const elsewhere = new World().minion(); // of another cluster
  const subject = `nt.main.up.${elsewhere.own.fp}.event`;
  const framing = { messageId: new Uint8Array(16), re: null, introduce: true };
  const payload = elsewhere.bus.sealer.seal(contracts.events, EVENT, [gateway.known], framing);
  world().broker.connect().publish(subject, payload, '_INBOX.x.y');
  await settle();
  expect(gateway.faults).toEqual(['unknown_sender']);
});

it('a sender who cannot be told is a fault', async () => {
  const gateway = world().service('gateway', 'gw1');
  gateway.takeEvents();
  const minion = world().minion();
  const framing = { messageId: new Uint8Array(16), re: null, introduce: false };
  const payload = minion.bus.sealer.seal(contracts.events, EVENT, [gateway.known], framing);
  world().broker.connect().publish(`nt.main.up.${minion.own.fp}.event`, payload);
  await settle();
  expect(gateway.faults).toEqual(['unknown_sender']);
});
