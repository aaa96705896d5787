/** The gateway's whole wiring. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DynamicModule, Module } from '@nestjs/common';
import type { RoleLink, ServiceMetrics } from '@natrium/edge';
import { ActiveJobs, type BudgetLimits, type JobTakeover, type PeerPublish, type PeerRun } from '@natrium/flow';
import type { Logger } from 'pino';
import { Adoption } from './jobs/adoption.js';
import {
  EndedController,
  EventController,
  HereController,
  PublishController,
  ReadController,
  ReturnController,
  RunnerController,
} from './controllers.js';
import { Door } from './callers/door.js';
import { type EventOptions, MasterEvents } from './events/master-events.js';
import { Api } from './http/api.js';
import { Clients } from './http/clients.js';
import { EventStreams } from './http/event-streams.js';
import { HttpFeed } from './http/http-feed.js';
import type { HttpOptions } from './http/http-options.js';
import { type HttpServer, serveHttp } from './http/http-server.js';
import { MasterCalls } from './http/master-calls.js';
import { type Allowance, Sessions } from './http/sessions.js';
import { WholeJobs } from './http/whole-jobs.js';
import { Fellows } from './fellows.js';
import { httpFigures, jobSeconds, tellFigures } from './figures.js';
import { gatewayFlows, returningElsewhere } from './gateway-flows.js';
import { Jids } from './jobs/jids.js';
import { JobCache } from './jobs/job-cache.js';
import { JobReads } from './jobs/job-reads.js';
import { openJidStore, openJobStores } from './jobs/job-stores.js';
import { KeptRuns } from './jobs/kept-runs.js';
import { tellingOnce } from './jobs/left-out.js';
import { LOOK_MS, LostRuns, runningOn } from './jobs/lost-runs.js';
import { OpenRuns } from './jobs/open-runs.js';
import { Minions } from './minions/minions.js';
import { allowanceOf, budgetsOf, sendersOf } from './callers/party-budgets.js';
import { Presence } from './minions/presence.js';
import { Reads } from './jobs/reads.js';
import { heedRevocations } from './minions/revocations.js';
import { lookAtSilent } from './jobs/silent.js';
import { Standstill } from './standstill.js';
import { Waiting } from './callers/waiting.js';

export interface GatewayOptions {
  readonly link: RoleLink;
  readonly keepJobsMs: number;
  readonly grantTimeoutMs: number;
  readonly gatherTimeoutMs: number;
  readonly requests: BudgetLimits;
  readonly events: EventOptions;
  readonly log: Logger;
  /** undefined: nobody asks for figures. */
  readonly metrics?: ServiceMetrics | undefined;
  /** Registers what is to be done before the connection closes. */
  readonly onStop: (stop: () => Promise<void> | void) => void;
  /** undefined: no HTTP API. */
  readonly http?: HttpOptions | undefined;
  /** Hears how to start listening for HTTP, once everything else listens. */
  readonly onHttp?: (start: () => Promise<HttpServer>) => void;
}

/** How often it is written down since when this gateway has open jobs. A job counts as over at the second time after its end. */
const OLDEST_MS = 2500;
const DOORS = [
  HereController,
  PublishController,
  RunnerController,
  EndedController,
  ReturnController,
  ReadController,
  EventController,
];

@Module({})
export class GatewayModule {
  static async create(options: GatewayOptions): Promise<DynamicModule> {
    const { link, keepJobsMs, grantTimeoutMs, requests, log, metrics } = options;
    const roster = await link.store('roster', 'roster');
    const minions = await Minions.follow(roster, link.roles.cluster, () => link.roles.keysOf('acl'));
    const now = () => link.clock.now();
    const own = { instance: link.own.instance, now };
    const jids = await Jids.open(await openJidStore(link, keepJobsMs), own);
    const { cache, openRuns } = await openJobs(link, keepJobsMs, { ...own, onUnreadable: tellingOnce(log) });
    const presence = new Presence(link, minions);
    const jobs = activeJobs(options, presence, cache);
    heedRevocations(link, minions, jobs);
    const budgets = budgetsOf(requests, link, log);
    const senders = sendersOf(minions, budgets);
    const elsewhere = returningElsewhere({ cache, jobs, log });
    const events = await MasterEvents.open({ link, senders, presence, elsewhere, cache, log }, options.events);
    options.onStop(() => closeEvents(events, made.keptRuns));
    const made = gatewayFlows({
      link,
      stoodStill: standstillOf(options),
      ...{ minions, cache, openRuns, jids, jobs, presence },
      events: events.jobs,
      grantTimeoutMs,
      keepJobsMs,
      log,
      charge: (key, returns) => {
        budgets.returns.charge(key, returns, budgets.now());
      },
      goesOn: (run) => {
        lostRuns.watch(run);
      },
    });
    const waiting = new Waiting();
    const door = new Door(made, minions, waiting, budgets, log);
    if (metrics !== undefined) tellFigures(metrics, { jobs, cache, events, refusals: door.refusals.counts, now });
    const lostRuns = lookingAfterRuns(options, openRuns, made.keptRuns);
    await goOnWithOthers(options, { cache, jobs, takeover: made.takeover, waiting, events, lostRuns });
    options.onStop(() => {
      jids.close();
      return cache.close();
    });
    const reads = new JobReads({ cache, jobs, presence, clock: link.clock });
    const { http, onHttp } = options;
    if (http !== undefined && onHttp !== undefined) {
      const feed = new HttpFeed(events.feed, (jid) => reads.ownerOf(jid));
      const { maxBytes: maxEventBytes } = options.events;
      const needs = { ...options, ...made, feed, reads, door, maxEventBytes, allowance: allowanceOf(budgets) };
      onHttp(() => openHttp(http, needs));
    }
    return {
      module: GatewayModule,
      controllers: DOORS,
      providers: [
        { provide: Door, useValue: door },
        { provide: KeptRuns, useValue: made.keptRuns },
        { provide: MasterEvents, useValue: events },
        { provide: Reads, useValue: new Reads(link, reads, minions, presence) },
      ],
    };
  }
}

function activeJobs(options: GatewayOptions, presence: Presence, cache: JobCache): ActiveJobs {
  const { link, gatherTimeoutMs, log, metrics } = options;
  return new ActiveJobs({
    after,
    ended: jobSeconds(metrics, link),
    lookAt: (record, keys, waits, tell) => {
      void lookAtSilent({ presence, cache, gatherTimeoutMs, log }, record, keys, waits).then(tell);
    },
  });
}

async function openJobs(link: RoleLink, keepJobsMs: number, own: ConstructorParameters<typeof JobCache>[1]) {
  const stores = await openJobStores(link, keepJobsMs);
  return { cache: new JobCache(stores, own), openRuns: new OpenRuns(stores[0], own.instance) };
}

interface HttpNeeds {
  readonly link: RoleLink;
  readonly publish: PeerPublish;
  readonly run: PeerRun;
  readonly feed: HttpFeed;
  readonly reads: JobReads;
  readonly allowance: Allowance;
  readonly door: Pick<Door, 'refusals'>;
  readonly metrics?: ServiceMetrics | undefined;
  readonly maxEventBytes: number;
  readonly log: Logger;
}

/** The HTTP API over the same flows as everybody else's. */
function openHttp(
  http: HttpOptions,
  { link, publish, run, feed, reads, allowance, door: { refusals }, metrics, maxEventBytes, log }: HttpNeeds,
): Promise<HttpServer> {
  const sessions = new Sessions(link, allowance, refusals);
  const streams = new EventStreams(feed, sessions, log);
  const now = () => link.clock.now();
  const calls = new MasterCalls({ publish, run, now, tracing: link.bus.tracing, allowance, refusals });
  const clients = new Clients(calls, http);
  const { openHook, openStats } = http;
  return serveHttp(http, {
    api: new Api({ sessions, clients, streams, feed, openHook, openStats, maxEventBytes, refusals, log }),
    sessions,
    streams,
    jobs: new WholeJobs((jid) => reads.one(jid)),
    tell: httpFigures(metrics, http.tls?.files.ssl_crt),
    log,
  });
}

/** Everything is answered by then. The last runs' answers are kept and told before the event bus is closed. */
async function closeEvents(events: MasterEvents, runs: KeptRuns): Promise<void> {
  await nextTurn(); // a job that has just begun is told in the next turn of the event loop
  await runs.settled();
  await events.close();
}

function standstillOf({ onStop }: GatewayOptions): () => boolean {
  const standstill = new Standstill(() => performance.now());
  onStop(() => {
    standstill.stop();
  });
  return () => standstill.isRecent();
}

interface Ours {
  readonly cache: JobCache;
  readonly jobs: ActiveJobs;
  readonly takeover: JobTakeover;
  readonly waiting: Waiting;
  readonly events: MasterEvents;
  readonly lostRuns: LostRuns;
}

function lookingAfterRuns({ link, log, onStop }: GatewayOptions, open: OpenRuns, kept: KeptRuns): LostRuns {
  const lostRuns = new LostRuns({
    open,
    kept,
    running: (jids) => runningOn(link, jids),
    onProblem: (problem, cause) => {
      log.error({ err: cause }, problem);
    },
    now: () => performance.now(),
  });
  const looking = setInterval(() => void lostRuns.look(), LOOK_MS).unref();
  onStop(() => {
    clearInterval(looking);
  });
  return lostRuns;
}

/** Writes down what this gateway has begun, and goes on with what others have left. */
async function goOnWithOthers({ link, log, onStop }: GatewayOptions, ours: Ours): Promise<void> {
  const { cache, jobs, takeover, waiting, events, lostRuns } = ours;
  await cache.begin();
  const onProblem = (problem: string, cause: unknown) => {
    log.error({ err: cause }, problem);
  };
  const oldest = setInterval(() => {
    cache
      .tellOldest((place) => jobs.byPlace(place) !== undefined)
      .catch((cause: unknown) => {
        onProblem('it could not be written down which jobs are open', cause);
      });
  }, OLDEST_MS).unref();
  const adoption = new Adoption({
    cache,
    takeover,
    tell: async (instance, left) => {
      const missing = await events.left.tell(instance, left);
      if (missing > 0)
        log.warn({ instance, events: missing }, 'a gateway is gone: what it had not said of its jobs is said');
    },
    own: link.own.instance,
    now: () => link.clock.now(),
    onAdopted: (instance, count) => {
      log.warn({ instance, jobs: count }, 'a gateway is gone: its jobs are gone on with here');
    },
  });
  const fellows = await Fellows.watch({
    link,
    instances: () => cache.instances(),
    adopt: async (instance, isGone) => {
      await lostRuns.adopt(instance); // first: whom the other forgets is not found again
      await adoption.adopt(instance, isGone);
    },
    back: (instance) => adoption.back(instance),
    onProblem,
  });
  onStop(() => {
    clearInterval(oldest);
    fellows.stop();
    waiting.stop();
  });
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => {
    clearTimeout(timer);
  };
}
