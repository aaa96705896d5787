/** Rules of a roles document that ends, or no longer names a service, while everyone runs: what it says and knows counts no more. */
import { type RolesDocument, signRoles, SigningKey } from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import { NOW, type Party, PATIENCE, useWorld } from './world.spec-support.js';

const world = useWorld();
const END = NOW + 60_000;
/** For what is refused: nobody answers. */
const BRIEF = 200;

/** A minion that answers a gateway, and knows it by its announcement, which lasts longer than the document. */
function aPair() {
  world().rolesEndMs = END;
  const [gateway, minion] = [world().service('gateway', 'gw1'), world().minion()];
  minion.knows(gateway);
  gateway.knows(minion).takeEvents();
  const subject = `nt.main.job.${minion.own.fp}`;
  minion.bus.serve(subject, undefined, [contracts.presence], (opened) => {
    opened.answer(contracts.here, { running: [] });
  });
  const { known } = minion;
  const question = { contract: contracts.presence, body: { jids: [] }, subject, to: () => [known] };
  return { gateway, minion, ask: (ms = PATIENCE) => gateway.bus.ask(question, contracts.here, ms) };
}

/** A newer document comes to the minion. */
function takeOver(minion: Party, change: Partial<RolesDocument>): void {
  const { root, cluster, nowMs } = world();
  const { roles } = minion.bus.sealer;
  const newer = signRoles(root, cluster, { ...roles.document, serial: 2, ...change });
  expect(roles.takeOver([root.publicKey, [newer]], nowMs)).toBe(true);
}

const tellAny = (minion: Party) => minion.tell(() => minion.directory.role('gateway'));

it('a service is heard and asked until its end; after it nothing of it opens, though its own announcement lasts', async () => {
  const { minion, ask } = aPair();
  world().nowMs = END - 1;
  expect([(await ask()).ok, (await tellAny(minion)).ok, minion.failures]).toEqual([true, true, []]);
  world().nowMs = END + 1;
  expect(await ask(BRIEF)).toMatchObject({ ok: false });
  expect(new Set(minion.failures)).toEqual(new Set(['unknown_sender']));
  expect(await tellAny(minion)).toEqual({ ok: false, error: 'nobody_known' });
});

it('a newer document is taken over after the end, and what comes counts again', async () => {
  const { minion, ask } = aPair();
  world().nowMs = END + 1;
  expect(await ask(BRIEF)).toMatchObject({ ok: false });
  takeOver(minion, { notAfter: END + 1e9 });
  expect(await ask()).toMatchObject({ ok: true });
  expect(await tellAny(minion)).toMatchObject({ ok: true });
});

it('a service that a newer document no longer names is unknown at once, though it was heard, and nothing is sealed to it', async () => {
  const { minion, ask } = aPair();
  // From the second question on its key id alone says who it is.
  for (let times = 0; times < 2; times += 1) expect(await ask()).toMatchObject({ ok: true });
  expect([(await tellAny(minion)).ok, minion.failures]).toEqual([true, []]);
  const { roles } = minion.bus.sealer.roles.document;
  takeOver(minion, { roles: { ...roles, gateway: [SigningKey.generate().publicKey] } });
  const sent = minion.sent.length;
  expect(await ask(BRIEF)).toMatchObject({ ok: false });
  expect(new Set(minion.failures)).toEqual(new Set(['unknown_sender']));
  expect(await tellAny(minion)).toEqual({ ok: false, error: 'nobody_known' });
  expect(minion.sent).toHaveLength(sent);
});
