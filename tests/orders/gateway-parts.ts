/** The life of a job at a master-gateway, wired as its module does, over the simulated store, minions and acl-service. */
import { setTimeout as pause } from 'node:timers/promises';
import { digestOf } from '@natrium/bus';
import { fromHex, toHex } from '@natrium/envelope';
import {
  type ActiveJob,
  ActiveJobs,
  type FanHear,
  type FanRound,
  type GrantedJob,
  JobReturns,
  JobTakeover,
  PeerPublish,
  ReturnedElsewhere,
  type SignedRequest,
  type TimerPort,
} from '@natrium/flow';
import { jidOf, ok, type Refusal, refuse, type Result } from '@natrium/model';
import type { records } from '@natrium/wire';
import { Adoption } from '../../apps/master-gateway/src/jobs/adoption.js';
import type { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import { RecentJobs } from '../../apps/master-gateway/src/jobs/recent-jobs.js';
import { fanOut } from './fan-out.js';
import type { OwnGateway } from './own-gateway.js';
import { NEVER } from './parties.js';

export interface GatewayParts {
  readonly jobs: ActiveJobs;
  readonly publish: PeerPublish;
  readonly returns: JobReturns;
  readonly elsewhere: ReturnedElsewhere;
  readonly adoption: Adoption;
}

type Decision = Result<GrantedJob, Refusal>;
type TakeoverPorts = ConstructorParameters<typeof JobTakeover>[0];

/** How long minions are asked for whether they are at work. */
const LOOK_MS = 800;
const NEWS_MS = 3;
/** After so long without a decision a gateway gives up. */
const ACL_PATIENCE_MS = 2000;

export function partsOf(gateway: OwnGateway): GatewayParts {
  const { world, cache, instance } = gateway;
  const jobs = new ActiveJobs(timersOf(gateway));
  const shared = sharedPorts(gateway);
  const moveJob: TakeoverPorts['moveJob'] = async (job, place) => {
    const moved = await cache.move(job, place);
    world.say(`${instance} ${moved ? 'makes' : 'does not make'} ${job.asked.jid} of ${job.asked.instance} its own`);
    return moved;
  };
  const takeover = new JobTakeover(
    {
      ...shared,
      moveJob,
      findJob: (place) => cache.find(place),
      pause,
    },
    jobs,
  );
  const adoption = new Adoption({
    ...{ cache, takeover, own: instance, now: shared.now },
    tell: () => Promise.resolve(),
    onAdopted: (of, count) => {
      world.say(`${instance} goes on with ${count} of ${of}`);
    },
  });
  const elsewhere = new ReturnedElsewhere({ storedReturns: shared.storedReturns, onProblem: () => undefined }, jobs);
  return {
    ...{ jobs, elsewhere, adoption },
    publish: publishOf(gateway, shared, takeover, jobs),
    returns: returnsOf(gateway, jobs),
  };
}

/** What publishing and going on with a job have in common. */
function sharedPorts(gateway: OwnGateway) {
  const { world, cache, instance } = gateway;
  return {
    ...{ instance, keyText: toHex },
    now: () => world.time.wall,
    askGrant: (ask: SignedRequest, jid: string) => askGrant(gateway, ask, jid),
    keepGrant: keepGrantOf(cache),
    storedReturns: (record: Pick<records.JobRecord, 'jid'>) => cache.returnsOf(record),
    fanOut: (job: ActiveJob, hear: FanHear, round?: FanRound) => fanOut(gateway, job, hear, round),
  };
}

/** One that is written in a moment is tried until it is durable, or this process ends. */
function keepGrantOf(cache: JobCache): TakeoverPorts['keepGrant'] {
  return async (record, place, when) => {
    try {
      await cache.keepGrant(record, place, when);
    } catch (cause) {
      if (when === 'now') throw cause;
    }
  };
}

function publishOf(
  { world, cache, instance }: OwnGateway,
  shared: ReturnType<typeof sharedPorts>,
  takeover: JobTakeover,
  jobs: ActiveJobs,
): PeerPublish {
  return new PeerPublish(
    {
      ...shared,
      mintJid: () => Promise.resolve(jidOf(world.nextMicros())),
      createJob: async (asked, place) => {
        const created = await cache.create(asked, place);
        world.say(`${instance} creates ${asked.jid}: ${created.type}`);
        return created;
      },
      dropJob: async (place, revision) => {
        const isGone = await cache.drop(place, revision);
        world.say(`${instance} drops revision ${revision}: ${isGone ? 'gone' : 'not known to be gone'}`);
        return isGone;
      },
      prepare: (_record, writing) => writing,
      findJob: (place) => cache.byPlace(place),
      takeOver: (ask) => takeover.take(ask),
      notConnected: () => Promise.resolve([]),
      announce: () => undefined,
    },
    jobs,
  );
}

function returnsOf(gateway: OwnGateway, jobs: ActiveJobs): JobReturns {
  const { world, cache, instance } = gateway;
  return new JobReturns(
    {
      store: (stored) => cache.storeReturn(stored),
      storeLate: (stored, key) => cache.storeLate(stored, key),
      findJob: new RecentJobs((jid) => cache.byJid(jid)).find,
      storedReturns: (record) => cache.returnsOf(record),
      announce: ({ jid }, { id }) => {
        for (const other of world.gateways)
          if (other !== gateway) world.after(NEWS_MS, () => other.hearStored(jid, id));
      },
      ...{ digestOf, keyText: toHex },
      idNow: (key) => world.minions.find((minion) => minion.key === key)?.id,
      isForgotten: () => false,
      charge: () => undefined,
      count: (what) => {
        world.say(`${instance} counts a return: ${what}`);
      },
      now: () => world.time.wall,
    },
    jobs,
  );
}

function timersOf({ world, cache }: OwnGateway): TimerPort {
  return {
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    lookAt: (record, keys, _waits, tell) => {
      const digest = digestOf(record.request);
      const look = async () => {
        const running = keys.filter((key) => world.minions.some((one) => one.key === key && one.isRunning(digest)));
        const returned = running.length < keys.length ? await cache.returnsOf(record).catch(() => []) : [];
        tell({ gone: [], running, returned });
      };
      setTimeout(() => void look(), LOOK_MS);
    },
  };
}

/** The acl-service, which may not be there. The policy is the same from the order's first moment to its last. */
function askGrant(gateway: OwnGateway, ask: SignedRequest, jid: string): Promise<Decision> {
  const { world, instance } = gateway;
  const { dice, trouble } = world;
  if (gateway.isDead) return NEVER;
  const unavailable = () => refuse('acl_unavailable', 'nobody decides');
  const answered = (ms: number, decide: () => Decision) =>
    new Promise<Decision>((resolve) => {
      world.after(ms, () => {
        const wasCut = world.cutMs(gateway) > 0;
        world.whenReached(gateway, 0, () => {
          const decision = wasCut ? unavailable() : decide();
          world.say(`${instance} hears of ${jid}: ${decision.ok ? 'granted' : decision.error.code}`);
          resolve(decision);
        });
      });
    });
  const decide = () => decided(gateway, ask, jid);
  if (!trouble.strikes('acl')) return answered(dice.from(2, 20), decide);
  if (dice.chance(0.5)) return answered(dice.from(20, ACL_PATIENCE_MS - 10), decide);
  return answered(dice.oneOf([ACL_PATIENCE_MS, ACL_PATIENCE_MS, 30]), unavailable);
}

function decided({ world }: OwnGateway, { request }: SignedRequest, jid: string): Decision {
  if (world.time.wall > request.issued + request.lifetime) return refuse('request_expired', 'it is too late');
  if (world.denies) return refuse('not_permitted', 'no rule allows it');
  return ok({
    grant: { bytes: Buffer.from(jid), signature: new Uint8Array(64) },
    caller: { kind: 'account', name: 'root' },
    members: world.minions.map(({ id, key }) => ({ id, key: fromHex(key) })),
    missing: [],
    rule: 'r',
  });
}
