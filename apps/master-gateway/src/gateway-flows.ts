/** The gateway's flows, with their ports. */
import { setTimeout as pause } from 'node:timers/promises';
import { digestOf } from '@natrium/bus';
import { toHex, verifyGrant } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import {
  type ActiveJobs,
  JobReturns,
  JobTakeover,
  PeerPublish,
  PeerRun,
  type PublishPorts,
  ReturnedElsewhere,
  type RunStart,
  type SignedRequest,
} from '@natrium/flow';
import { type Jid, jidOf, ok, refuse, type Signed } from '@natrium/model';
import type { Logger } from 'pino';
import { AclClient } from './acl-client.js';
import { AtOnce } from './at-once.js';
import type { JobEvents } from './events/job-events.js';
import { FanOut } from './jobs/fan-out.js';
import type { Jids } from './jobs/jids.js';
import type { JobCache } from './jobs/job-cache.js';
import { KeptRuns } from './jobs/kept-runs.js';
import type { OpenRuns } from './jobs/open-runs.js';
import type { Minions } from './minions/minions.js';
import { TwoAtOnce } from './minions/two-at-once.js';
import type { Presence } from './minions/presence.js';
import { RecentJobs } from './jobs/recent-jobs.js';
import { runOn } from './runner-client.js';
import { warningSeldom } from './seldom.js';

export interface FlowParts {
  readonly link: RoleLink;
  readonly minions: Minions;
  readonly cache: JobCache;
  readonly openRuns: OpenRuns;
  readonly jids: Jids;
  readonly jobs: ActiveJobs;
  readonly presence: Presence;
  readonly events: JobEvents;
  readonly grantTimeoutMs: number;
  readonly keepJobsMs: number;
  readonly log: Logger;
  readonly stoodStill: () => boolean;
  /** Takes so many returns from the budget of the minion with this key, hexadecimal. */
  readonly charge: (key: string, returns: number) => void;
  /** Looks after a run that goes on while nobody waits for it here. */
  readonly goesOn: (run: RunStart) => void;
}

const TWO_AT_ONCE =
  'two agents are at work under one identity, so that jobs run on both: a host was copied with its key, or the key was stolen. ' +
  'On a copy stop the agent, remove minion.key, broker-user.jwt and minion_id from its pki_dir, give it an id of its own and start it. ' +
  'If you know of no copy take the key away (natrium-key -d ID), and let the host join anew';

interface Parts extends FlowParts {
  readonly acl: AclClient;
  readonly fan: FanOut;
  readonly now: () => number;
}

export function gatewayFlows(given: FlowParts) {
  const { link, jobs, grantTimeoutMs } = given;
  const acl = new AclClient(link, grantTimeoutMs);
  const parts = { ...given, acl, fan: new FanOut(link), now: () => link.clock.now() };
  const takeover = takingOver(parts);
  const keptRuns = keepingRuns(parts);
  return {
    publish: new PeerPublish(publishPorts(parts, takeover), jobs),
    run: runs(parts, keptRuns),
    keptRuns,
    returns: returning(parts),
    takeover,
    twoAtOnce: noticingTwo(parts),
  };
}

function noticingTwo({ link, minions, events, log, now }: Parts): TwoAtOnce {
  return new TwoAtOnce({
    newestOf: (key) => link.directory.jobsOf(key),
    tell: (key) => {
      const id = minions.idOf(key);
      if (id === undefined) return;
      log.warn({ id }, TWO_AT_ONCE);
      events.twoAtOnce(id);
    },
    now,
  });
}

function publishPorts(
  { link, cache, jids, presence, events, acl, fan, log, now }: Parts,
  takeover: JobTakeover,
): PublishPorts {
  const { tracing } = link.bus;
  return {
    instance: link.own.instance,
    mintJid: () => jids.next(),
    askGrant: (ask, jid) => acl.askGrant(ask, jid),
    createJob: (asked, place) => tracing.step('store job', { jid: asked.jid }, () => cache.create(asked, place)),
    dropJob: (place, revision) => cache.drop(place, revision),
    prepare: (record, writing) => fan.prepare(record, writing),
    keepGrant: keepingGrants(cache, log),
    findJob: (place) => cache.byPlace(place),
    fanOut: (job, hear) => fan.send(job, hear),
    takeOver: (ask) => takeover.take(ask),
    storedReturns: (record) => cache.returnsOf(record),
    notConnected: async (jid, keys) => (await presence.lookAt(jid, keys)).gone,
    announce: ({ record }) => {
      // The job itself leaves first: its minions wait for it.
      setImmediate(() => {
        events.started(record);
      });
    },
    keyText: toHex,
    now,
  };
}

/** A grant that is to be written `now` fails its job when it cannot be; one that is to be written `soon` is tried until it is, and nobody waits for it. */
function keepingGrants(cache: JobCache, log: Logger): PublishPorts['keepGrant'] {
  return async (record, place, when) => {
    try {
      await cache.keepGrant(record, place, when);
    } catch (cause) {
      if (when === 'now') throw cause;
      log.error({ err: cause }, 'what was granted of a job cannot be written down');
    }
  };
}

function returning({ link, minions, cache, jobs, events, keepJobsMs, charge, log, now }: Parts): JobReturns {
  const { tracing } = link.bus;
  return new JobReturns(
    {
      store: (stored) => tracing.step('store return', { jid: stored.jid }, () => cache.storeReturn(stored)),
      storeLate: (stored, key) => cache.storeLate(stored, key),
      findJob: new RecentJobs((jid) => cache.byJid(jid)).find,
      storedReturns: (record) => cache.returnsOf(record),
      announce: (record, stored) => {
        events.returned(record, stored);
      },
      digestOf,
      keyText: toHex,
      idNow: (key) => minions.idOf(key),
      isForgotten: (jid) => keepJobsMs > 0 && jid < jidOf(Math.floor((now() - keepJobsMs) * 1000)),
      charge,
      count: warningSeldom(log, 'a return was not taken, or came again'),
      now,
    },
    jobs,
  );
}

/** Of how many jobs the stored returns are read at once: after a stall those of many jobs went to other gateways. */
const READ_AT_ONCE = 8;

export function returningElsewhere({ cache, jobs, log }: Pick<FlowParts, 'cache' | 'jobs' | 'log'>): ReturnedElsewhere {
  const reading = new AtOnce(READ_AT_ONCE);
  return new ReturnedElsewhere(
    {
      storedReturns: (record) => reading.run(() => cache.returnsOf(record)),
      onProblem: ({ jid }, cause) => {
        log.error({ err: cause, jid }, 'what another gateway has stored of a job could not be read and told');
      },
    },
    jobs,
  );
}

function keepingRuns({ link, cache, openRuns: open, events, log, stoodStill, now }: Parts): KeptRuns {
  const { roles } = link;
  const grantOf = (said: Signed) => {
    const grant = verifyGrant(said, roles.cluster, roles.keysOf('acl'), 'run');
    return grant.ok ? grant.value : undefined;
  };
  return new KeptRuns({ cache, open, events, grantOf, stoodStill, now, log });
}

function runs({ link, jids, acl, goesOn }: Parts, kept: KeptRuns): PeerRun {
  return new PeerRun({
    mintJid: () => jids.next(),
    askGrant: (ask, jid) => askRunGrant(acl, ask, jid),
    run: (ask, grant, jid, timeoutMs) => runOn(link, ask, grant, jid, timeoutMs),
    writeDown: (start) => kept.writeDown(start),
    announce: (start, ran, isGuess) => {
      kept.announce(start, ran, isGuess);
    },
    goesOn,
  });
}

async function askRunGrant(acl: AclClient, ask: SignedRequest, jid: Jid) {
  const granted = await acl.askGrant(ask, jid);
  if (!granted.ok) return granted;
  const { grant, caller } = granted.value;
  return grant === null ? refuse('grant_kind', 'a run needs a grant') : ok({ grant, caller });
}

function takingOver({ link, cache, jobs, acl, fan, log, now }: Parts): JobTakeover {
  return new JobTakeover(
    {
      instance: link.own.instance,
      findJob: (place) => cache.find(place),
      moveJob: (job, place) => cache.move(job, place),
      keepGrant: keepingGrants(cache, log),
      storedReturns: (record) => cache.returnsOf(record),
      askGrant: (ask, jid) => acl.askGrant(ask, jid),
      fanOut: (job, hear, round) => fan.send(job, hear, round),
      keyText: toHex,
      pause: (ms) => pause(ms),
      now,
    },
    jobs,
  );
}
