/** A job on its way to its minions: each message may be late or lost. */
import { digestOf } from '@natrium/bus';
import type { ActiveJob, FanHear, FanRound } from '@natrium/flow';
import type { OwnGateway } from './own-gateway.js';

const LOST = 0.3;

/** @returns Stops listening; nothing is listened to. */
export function fanOut(gateway: OwnGateway, job: ActiveJob, hear: FanHear, round?: FanRound): () => void {
  const { world, instance } = gateway;
  const { dice, trouble } = world;
  const { record, place } = job;
  if (gateway.isDead) return () => undefined;
  world.say(`${instance} sends ${record.jid}`);
  const digest = digestOf(record.request);
  world.sentUnder(digest, record.jid);
  gateway.sent.set(record.jid, place);
  for (const minion of world.minions) {
    if (round?.only.has(minion.key) === false) continue;
    if (trouble.strikes('message') && dice.chance(LOST)) {
      if (dice.chance(0.5)) setTimeout(() => hear.notConnected(minion.key), dice.from(1, 2000));
      continue;
    }
    const late = trouble.strikes('message') ? dice.from(1, 3000) : dice.from(1, 8);
    world.after(world.cutMs(gateway) + late, () => minion.hear(gateway, record.jid, digest));
  }
  return () => undefined;
}
