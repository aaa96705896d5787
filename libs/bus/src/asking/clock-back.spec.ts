/** A party whose clock was far ahead until somebody set it right: it is understood from then on, not only once its clock has caught up. */
import { useWorld } from './world.spec-support.js';

const DAY_MS = 86_400_000;

const world = useWorld();

/** Known as it announced itself while its clock was ahead; since then it has begun other epochs. */
function setBack() {
  world().nowMs += DAY_MS;
  const gateway = world().service('gateway', 'gw1');
  const { known } = gateway;
  world().nowMs -= DAY_MS;
  gateway.own.rotate(world().nowMs);
  gateway.own.rotate(world().nowMs);
  const minion = world().minion();
  minion.directory.learn(known);
  return { gateway, minion, known };
}

it('answers under the epoch that it has now', async () => {
  const { gateway, minion } = setBack();
  gateway.takeEvents();
  const to = () => minion.directory.role('gateway');
  for (let times = 0; times < 2; times += 1) expect(await minion.tell(to)).toMatchObject({ ok: true });
  expect(minion.failures).toEqual([]);
});

it('is sealed to under what it announces now, before it has answered anything, and no more under the key that it had', () => {
  const { gateway, minion, known } = setBack();
  for (const one of [gateway.known, known]) minion.directory.learn(one);
  expect(minion.directory.role('gateway')).toEqual([gateway.known]);
});
