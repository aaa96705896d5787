/** The gateway's whole wiring. */
import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Module } from '@nestjs/common';
import { digestOf } from '@natrium/bus';
import { toHex } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import {
  ActiveJobs,
  Budget,
  type BudgetLimits,
  JobReturns,
  JobTakeover,
  PeerPublish,
  PeerRun,
  type SignedRequest,
} from '@natrium/flow';
import { type Jid, jidOf, ok, err, refusal } from '@natrium/model';
import type { Logger } from 'pino';
import { AclClient } from './acl-client.js';
import { Adoption } from './adoption.js';
import {
  EventController,
  HereController,
  PublishController,
  ReadController,
  ReturnController,
  RunnerController,
} from './controllers.js';
import { Door, type DoorBudgets } from './door.js';
import type { JobEvents } from './events/job-events.js';
import { type EventOptions, MasterEvents } from './events/master-events.js';
import { Api } from './http/api.js';
import { Clients } from './http/clients.js';
import { EventStreams } from './http/event-streams.js';
import { HttpFeed } from './http/http-feed.js';
import type { HttpOptions } from './http/http-options.js';
import { type HttpServer, serveHttp } from './http/http-server.js';
import { MasterCalls } from './http/master-calls.js';
import { Sessions } from './http/sessions.js';
import { FanOut } from './fan-out.js';
import { Fellows } from './fellows.js';
import { jidMint } from './jid-mint.js';
import { JobCache } from './job-cache.js';
import { openJobStores } from './job-stores.js';
import { announcingRuns } from './kept-runs.js';
import { Minions } from './minions.js';
import { Presence } from './presence.js';
import { Reads } from './reads.js';
import { RecentJobs } from './recent-jobs.js';
import { heedRevocations } from './revocations.js';
import { runOn } from './runner-client.js';
import { warningSeldom } from './seldom.js';
import { lookAtSilent } from './silent.js';
import { Waiting } from './waiting.js';

export interface GatewayOptions {
  readonly link: RoleLink;
  readonly keepJobsMs: number;
  readonly grantTimeoutMs: number;
  readonly requests: BudgetLimits;
  readonly events: EventOptions;
  readonly log: Logger;
  /** Registers what is to be done before the connection closes. */
  readonly onStop: (stop: () => Promise<void> | void) => void;
  /** undefined: no HTTP API. */
  readonly http?: HttpOptions | undefined;
  /** Hears how to start listening for HTTP, once everything else listens. */
  readonly onHttp?: (start: () => Promise<HttpServer>) => void;
}

const OLDEST_MS = 5000;
const DOORS = [HereController, PublishController, RunnerController, ReturnController, ReadController, EventController];

@Module({})
export class GatewayModule {
  static async create(options: GatewayOptions): Promise<DynamicModule> {
    const { link, keepJobsMs, grantTimeoutMs, requests, log } = options;
    const roster = await link.store('roster', 'roster');
    const minions = await Minions.follow(roster, link.roles.cluster, () => link.roles.keysOf('acl'));
    const cache = new JobCache(await openJobStores(link, keepJobsMs), link.own.instance);
    const presence = new Presence(link, minions);
    const jobs = new ActiveJobs({
      after,
      lookAt: (record, keys, tell) => {
        void lookAtSilent({ presence, cache, log }, record, keys).then(tell);
      },
    });
    heedRevocations(link, minions, jobs);
    const events = await MasterEvents.open({ link, minions, presence, log }, options.events);
    options.onStop(() => events.close());
    const made = flows({ link, minions, cache, jobs, presence, events: events.jobs, grantTimeoutMs, keepJobsMs, log });
    const waiting = new Waiting();
    const door = new Door(made, minions, waiting, budgets(requests, link, log), log);
    await goOnWithOthers(options, { cache, jobs, minions, takeover: made.takeover, waiting });
    options.onStop(() => cache.close());
    const { http, onHttp } = options;
    if (http !== undefined && onHttp !== undefined) {
      const feed = new HttpFeed(events.feed, async (jid) => (await cache.byJid(jid))?.caller);
      onHttp(() => openHttp(http, { link, ...made, feed, log }));
    }
    return {
      module: GatewayModule,
      controllers: DOORS,
      providers: [
        { provide: Door, useValue: door },
        { provide: MasterEvents, useValue: events },
        { provide: Reads, useValue: new Reads(link, cache, jobs, minions, presence) },
      ],
    };
  }
}

interface HttpNeeds {
  readonly link: RoleLink;
  readonly publish: PeerPublish;
  readonly run: PeerRun;
  readonly feed: HttpFeed;
  readonly log: Logger;
}

/** The HTTP API over the same flows as everybody else's. */
function openHttp(http: HttpOptions, { link, publish, run, feed, log }: HttpNeeds): Promise<HttpServer> {
  const sessions = new Sessions(link);
  const streams = new EventStreams(feed, sessions, log);
  const calls = new MasterCalls({ publish, run, now: () => link.clock.now(), tracing: link.bus.tracing });
  const clients = new Clients(calls, http);
  const { openHook, openStats } = http;
  return serveHttp(http, {
    api: new Api({ sessions, clients, streams, feed, openHook, openStats, log }),
    sessions,
    streams,
    log,
  });
}

interface Ours {
  readonly cache: JobCache;
  readonly jobs: ActiveJobs;
  readonly minions: Minions;
  readonly takeover: JobTakeover;
  readonly waiting: Waiting;
}

/** Writes down what this gateway has begun, and goes on with what others have left. */
async function goOnWithOthers({ link, log, onStop }: GatewayOptions, ours: Ours): Promise<void> {
  const { cache, jobs, minions, takeover, waiting } = ours;
  await cache.begin();
  const onProblem = (problem: string, cause: unknown) => {
    log.error({ err: cause }, problem);
  };
  const oldest = setInterval(() => {
    cache
      .tellOldest((digest) => jobs.byDigest(digest) !== undefined)
      .catch((cause: unknown) => {
        onProblem('it could not be written down which jobs are open', cause);
      });
  }, OLDEST_MS).unref();
  const adoption = new Adoption({
    cache,
    minions,
    takeover,
    now: () => link.clock.now(),
    pause: (ms) => pause(ms, undefined, { ref: false }),
    onAdopted: (instance, count) => {
      log.warn({ instance, jobs: count }, 'a gateway is gone: its jobs are gone on with here');
    },
  });
  const fellows = await Fellows.watch({
    link,
    instances: () => cache.instances(),
    adopt: (instance, isGone) => adoption.adopt(instance, isGone),
    onProblem,
  });
  onStop(() => {
    clearInterval(oldest);
    fellows.stop();
    waiting.stop();
  });
}

interface FlowParts {
  readonly link: RoleLink;
  readonly minions: Minions;
  readonly cache: JobCache;
  readonly jobs: ActiveJobs;
  readonly presence: Presence;
  readonly events: JobEvents;
  readonly grantTimeoutMs: number;
  readonly keepJobsMs: number;
  readonly log: Logger;
}

function flows({ link, minions, cache, jobs, presence, events, grantTimeoutMs, keepJobsMs, log }: FlowParts) {
  const acl = new AclClient(link, grantTimeoutMs);
  const fan = new FanOut(link);
  const { tracing } = link.bus;
  const now = () => link.clock.now();
  const mintJid = jidMint(now);
  const takeover = takingOver({ link, cache, jobs, acl, fan });
  const publish = new PeerPublish(
    {
      instance: link.own.instance,
      mintJid,
      askGrant: (ask, jid) => acl.askGrant(ask, jid),
      createJob: (record, digest) => fan.meanwhile(() => cache.create(record, digest), record),
      fanOut: (job, hear) => {
        fan.send(job, hear);
      },
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
    },
    jobs,
  );
  const returns = new JobReturns(
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
      count: warningSeldom(log, 'a return was not taken, or came again'),
      now,
    },
    jobs,
  );
  const run = new PeerRun({
    mintJid,
    askGrant: (ask, jid) => askRunGrant(acl, ask, jid),
    run: (ask, grant, jid, timeoutMs) => runOn(link, ask, grant, jid, timeoutMs),
    announce: announcingRuns({ cache, events, now, log }),
  });
  return { publish, run, returns, takeover };
}

async function askRunGrant(acl: AclClient, ask: SignedRequest, jid: Jid) {
  const granted = await acl.askGrant(ask, jid);
  if (!granted.ok) return granted;
  const { grant, caller } = granted.value;
  return grant === null ? err(refusal('grant_kind', 'a run needs a grant')) : ok({ grant, caller });
}

type TakeoverParts = Pick<FlowParts, 'link' | 'cache' | 'jobs'> & { readonly acl: AclClient; readonly fan: FanOut };

function takingOver({ link, cache, jobs, acl, fan }: TakeoverParts): JobTakeover {
  return new JobTakeover(
    {
      instance: link.own.instance,
      findJob: (digest) => cache.find(digest),
      moveJob: (job, digest) => cache.move(job, digest),
      storedReturns: (record) => cache.returnsOf(record),
      askGrant: (ask, jid) => acl.askGrant(ask, jid),
      fanOut: (job, hear, round) => {
        fan.send(job, hear, round);
      },
      keyText: toHex,
      pause: (ms) => pause(ms),
      now: () => link.clock.now(),
    },
    jobs,
  );
}

/** A minion returns what it was asked: many callers' jobs, so ten times as much as it may ask itself. */
const RETURNS_TO_A_REQUEST = 10;

function budgets({ rate, burst }: BudgetLimits, { clock }: RoleLink, log: Logger): DoorBudgets {
  const tooFast = (what: string) => (party: string) => {
    log.warn({ party, what }, 'one party asks too much; it is told to slow down');
  };
  const times = RETURNS_TO_A_REQUEST;
  return {
    requests: new Budget({ rate, burst }, tooFast('requests')),
    returns: new Budget({ rate: rate * times, burst: burst * times }, tooFast('returns')),
    now: () => clock.own(),
  };
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => {
    clearTimeout(timer);
  };
}
