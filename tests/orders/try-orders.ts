/** `npm run drills -- --orders`: many orders of lost acknowledgements, each drawn from a seed, in virtual time and in this process. */
import { sodiumReady } from '@natrium/envelope';
import { orderOf } from './order.js';
import { PLANTED } from './planted.js';
import { VirtualTime } from './virtual-time.js';
import type { CacheOf } from './parties.js';
import type { World } from './world.js';

export interface OrdersAsked {
  readonly count: number;
  /** The seeds are this one and those after it. */
  readonly first: number;
  /** The name of a fault in `PLANTED`; undefined: the gateways as they are. */
  readonly planted: string | undefined;
  /** What was found. */
  readonly say: (line: string) => void;
  /** How far it is. */
  readonly tell: (line: string) => void;
}

const TELL_MS = 5000;

/** With a planted fault it ends at the first order in which that is found. @returns 0 when no promise is broken, else 1. @throws {RangeError} When there is no such fault to plant. */
export async function tryOrders({ count, first, planted, say, tell }: OrdersAsked): Promise<number> {
  const cacheOf = cacheWith(planted);
  await sodiumReady();
  const realNow = performance.now.bind(performance);
  const began = realNow();
  const time = new VirtualTime();
  const restore = time.install();
  let [ran, broken, tellAt] = [0, 0, began + TELL_MS];
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      const world = await unforeseenIn(() => orderOf(time, seed, cacheOf));
      if (world.ran.length > 0) ran += 1;
      if (world.broken.size > 0) {
        broken += 1;
        say(reportOf(seed, world));
        if (planted !== undefined) return 1;
      }
      if (realNow() < tellAt) continue;
      tellAt = realNow() + TELL_MS;
      tell(`${seed - first + 1} of ${count} orders, ${broken} broke a promise`);
    }
  } finally {
    restore();
  }
  const [seconds, outcome] = [
    (realNow() - began) / 1000,
    broken === 0 ? 'no promise is broken' : `${broken} broke a promise`,
  ];
  say(`${count} orders from seed ${first}: in ${ran} the job ran, ${outcome} (${seconds.toFixed(1)} s)`);
  return broken === 0 ? 0 : 1;
}

function cacheWith(planted: string | undefined): CacheOf | undefined {
  if (planted === undefined) return undefined;
  const cacheOf = PLANTED.get(planted);
  if (cacheOf !== undefined) return cacheOf;
  throw new RangeError(`--planted takes one of ${[...PLANTED.keys()].join(', ')}, not ${planted}`);
}

/** What fails though nobody waits for it would end a gateway. */
async function unforeseenIn(run: () => Promise<World>): Promise<World> {
  const unforeseen = new Set<string>();
  const onRejection = (error: unknown) => {
    unforeseen.add(String(error));
  };
  process.on('unhandledRejection', onRejection);
  try {
    const world = await run();
    for (const error of unforeseen) world.break(`nothing unforeseen is thrown (${error})`);
    return world;
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}

function reportOf(seed: number, { broken, events }: World): string {
  const promises = [...broken].map((promise) => `  ${promise}`);
  return [`seed ${seed} breaks:`, ...promises, '', ...events, ''].join('\n');
}
