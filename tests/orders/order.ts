/** One order of events: two gateways, one or two minions and a caller, and what is lost between them, as the seed says. */
import { toHex } from '@natrium/envelope';
import { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import { Caller } from './caller.js';
import { Gateway } from './gateway.js';
import { Minion } from './minion.js';
import type { CacheOf } from './parties.js';
import { checkAtRest, checkOldest } from './promises.js';
import type { VirtualTime } from './virtual-time.js';
import { World } from './world.js';

const UP_MS = 500;
const WARM_MS = 1500;
const REST_MS = 260_000;
const JUDGED_MS = 5000;
const MOST_FAULTS = 5;
const WARM = 0.75;
const DENIES = 0.08;
const COMES_BACK = 0.7;

/** @returns The world as it is at rest. */
export async function orderOf(time: VirtualTime, seed: number, cacheOf: CacheOf = plainCache): Promise<World> {
  time.reset();
  const world = new World(time, seed, cacheOf);
  const { dice } = world;
  const [callerKey, denies] = [dice.bytes(32), dice.chance(DENIES)];
  await begin(world, callerKey);
  const start = time.now;
  world.denies = denies;
  world.troubleUntil = start + dice.from(3000, 30_000);
  const ask = world.newAsk(callerKey);
  world.ask = ask;
  world.say(`trouble until ${world.troubleUntil} ms: ${String(world.trouble)}`);
  watchOldest(world);
  for (let left = dice.from(0, MOST_FAULTS); left > 0; left -= 1) planFault(world);
  const caller = new Caller(world, ask);
  caller.start();
  const askedAgain = askAgain(world);
  await time.run(start + REST_MS);
  const checked = checkAtRest(world, caller, askedAgain.isAsked);
  await time.run(time.now + JUDGED_MS);
  await checked;
  return world;
}

function plainCache(...given: Parameters<CacheOf>): JobCache {
  return new JobCache(...given);
}

/** Of a caller whose last request was granted the next job is written while it is decided on. */
async function begin(world: World, callerKey: Uint8Array): Promise<void> {
  const { dice, time } = world;
  world.minions = ['web1', 'web2'].slice(0, dice.from(1, 2)).map((id) => new Minion(world, id, toHex(dice.bytes(32))));
  for (const instance of ['gw1', 'gw2']) startGateway(world, instance);
  await time.run(UP_MS);
  for (const gateway of world.gateways) if (dice.chance(WARM)) gateway.handle(world.newAsk(callerKey), 'all');
  await time.run(WARM_MS + dice.from(0, 1000));
}

function startGateway(world: World, instance: string): void {
  const gateway = new Gateway(world, instance);
  world.gateways.push(gateway);
  gateway.start();
}

function watchOldest(world: World): void {
  for (const bucket of world.buckets)
    bucket.onWritten = ({ key }) => {
      const gateway = world.gateways.find(({ instance }) => key === `o.${instance}`);
      if (gateway !== undefined) checkOldest(world, gateway, bucket);
    };
}

/** At some moment, or about when something is asked of the store, the acl-service or a minion. */
function planFault(world: World): void {
  const { dice, time, trouble } = world;
  const hurt = () => hurtOne(world);
  const wholeMs = Math.max(2, dice.oneOf([50, 3000, world.troubleUntil - time.now]));
  if (dice.chance(0.5)) world.after(dice.from(1, wholeMs), hurt);
  else trouble.atSomeOperation(() => world.after(dice.oneOf([0, 1, 3, 20, 500]), hurt));
}

function hurtOne(world: World): void {
  const { dice, time, alive } = world;
  const gateway = dice.anyOf(alive);
  if (gateway === undefined) return;
  if (dice.chance(0.5)) {
    gateway.die();
    if (dice.chance(COMES_BACK) || alive.length === 1)
      world.after(dice.from(200, 3000), () => startGateway(world, `gw${world.gateways.length + 1}`));
  } else if (dice.chance(0.5)) {
    gateway.cutUntil = time.now + dice.from(500, 8000);
    world.say(`${gateway.instance} is cut off until ${gateway.cutUntil} ms`);
  } else {
    gateway.standsUntil = time.now + dice.from(800, 6000);
    world.say(`${gateway.instance} stands still until ${gateway.standsUntil} ms`);
  }
}

/** The same signed request comes again, of somebody who has it too, or of a retry. */
function askAgain(world: World): { readonly isAsked: boolean } {
  const { dice, trouble, ask } = world;
  const asked = { isAsked: false };
  const most = dice.chance(0.4) ? 3 : 0;
  const times = trouble.isHot ? dice.from(1, 5) : Math.min(most, dice.from(1, 3));
  for (let left = times; left > 0; left -= 1)
    setTimeout(
      () => {
        const gateway = dice.anyOf(world.alive);
        if (gateway === undefined || ask === undefined) return;
        asked.isAsked = true;
        world.say(`${gateway.instance} is asked again`);
        gateway.handle(ask, dice.oneOf(['all', 'jid']));
      },
      dice.from(100, dice.oneOf([6000, 12_000, 40_000])),
    );
  return asked;
}
