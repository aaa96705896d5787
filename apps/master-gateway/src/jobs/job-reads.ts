/**
 * What the runners `jobs.*` read: jobs as they were asked for, what was returned to one, and which are in progress. Filters are applied
 * here, where the job cache is, so that only what is wanted has to fit into an answer.
 */
import { inSlices } from '@natrium/bus';
import type { ActiveJobs } from '@natrium/flow';
import { isMap, jidOf, parseJid, type Value } from '@natrium/model';
import { isInTime, isWanted, type JobFilter, jobFilterIn, jobPartIn } from '@natrium/runners';
import type { records } from '@natrium/wire';
import { AtOnce } from '../at-once.js';
import type { JobCache } from './job-cache.js';
import {
  type Asked,
  askedIn,
  cutForList,
  cutForOne,
  fitting,
  partOf,
  shown,
  type Summary,
  summaryOf,
} from './job-views.js';
import { endedRun } from './kept-runs.js';
import type { Presence } from '../minions/presence.js';
import { userOf } from '../minions/user-of.js';

/** At most so many jobs in progress are told; so many of those that minions name are looked for, and so many read at once. */
const MAX_ACTIVE = 1000;
const MAX_LOOKED_FOR = 4 * MAX_ACTIVE;
const READ_AT_ONCE = 32;
/** What stands for the process of a job: it may have several, or none of its own, and no minion tells. */
const NO_PROCESS = 0;

export interface JobReadPorts {
  readonly cache: Pick<JobCache, 'asked' | 'callersOf' | 'byJid' | 'returnsOf'>;
  readonly jobs: Pick<ActiveJobs, 'byJid'>;
  readonly presence: Pick<Presence, 'ask'>;
  /** Milliseconds since 1970, and how far a clock may be off. */
  readonly clock: { now(): number; readonly skewMs: number };
}

export class JobReads {
  constructor(private readonly ports: JobReadPorts) {}

  /**
   * Jobs, oldest first, without their minions, which no list of jobs shows. Grants are read only of the jobs that are told: they name the
   * minions of every job, and are most of what is kept.
   *
   * @param wanted A `JobFilter`.
   */
  async list(wanted: Value): Promise<Value> {
    const { cache } = this.ports;
    const filter = jobFilterIn(wanted);
    const { latest = Infinity } = filter;
    const newestFirst = wantedOf(await cache.asked((job) => isInTime(job, filter)), filter);
    const told: Summary[] = [];
    // Some jobs may not be granted. Twice as many are tried each time, so that few rounds find enough others.
    for (let most = latest; told.length < latest; most *= 2) {
      const some = await upTo(most, newestFirst);
      if (some.length === 0) break;
      const callers = await cache.callersOf(some.map(({ jid }) => jid));
      for (const job of some) {
        const caller = callers.get(job.jid);
        if (caller !== undefined) told.push({ ...job, user: userOf(caller) });
      }
    }
    return told.slice(0, latest).reverse().map(shown);
  }

  /**
   * One job, and what its minions returned. What is no jid names no job.
   *
   * @param asked The jid, or a map of it and a `JobPart`.
   */
  async one(asked: Value): Promise<Value> {
    const jid = parseJid(isMap(asked) ? asked['jid'] : asked);
    if (jid === undefined) return null;
    const { cache } = this.ports;
    const record = await cache.byJid(jid);
    const job = record === undefined ? await endedRun(cache, jid) : await this.#whole(record);
    if (!isMap(job)) return null;
    const wanted = jobPartIn(asked);
    const part = partOf(job, wanted);
    return wanted.partial === true ? fitting(part) : part;
  }

  async #whole(record: records.JobRecord): Promise<Value> {
    const job = summaryOf(record);
    if (job === undefined) return null;
    const stored = await this.ports.cache.returnsOf(record);
    const result = stored.map(({ id, outcome: { ret, retcode, success, out } }) => [
      id,
      { return: ret, retcode, success, ...(out === null ? {} : { out }) },
    ]);
    const minions = record.members.map(({ id }) => id).sort();
    return { ...shown(cutForOne(job)), Minions: minions, Result: Object.fromEntries(result) as Value };
  }

  /**
   * Jobs in progress, as the minions themselves tell: whichever gateway has sent them and however long ago, and none that has ended.
   * The newest first, where there are very many.
   */
  async active(): Promise<Value> {
    const { presence, clock } = this.ports;
    const atWork = new Map<string, string[]>();
    // Another gateway's clock may be ahead of the true time, and this one behind it.
    const newestJid = jidOf((clock.now() + 2 * clock.skewMs) * 1000);
    for (const { id, running } of await presence.ask())
      for (const jid of running) {
        const ids = atWork.get(jid);
        if (ids !== undefined) ids.push(id);
        else if (jid <= newestJid) atWork.set(jid, [id]);
      }
    // Jids that a minion has invented take no real job's place, while they are few enough to be looked for.
    const newest = [...atWork].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, MAX_LOOKED_FOR);
    const reading = new AtOnce(READ_AT_ONCE);
    const found = await Promise.all(newest.map(([jid, ids]) => reading.run(() => this.#atWork(jid, ids))));
    return found.flat().slice(0, MAX_ACTIVE);
  }

  /** @param ids Of the minions that say that they run it: of a job that was never theirs, nobody is believed. */
  async #atWork(jid: string, ids: readonly string[]): Promise<readonly Value[]> {
    const { cache, jobs } = this.ports;
    const job = jobs.byJid(jid);
    const record = job?.record ?? (await cache.byJid(jid));
    if (record === undefined) return [];
    const members = new Set(record.members.map(({ id }) => id));
    const running = ids.filter((id) => members.has(id)).map((id) => ({ [id]: NO_PROCESS }));
    const summary = summaryOf(record);
    if (summary === undefined || running.length === 0) return [];
    const returned = job?.told ?? (await cache.returnsOf(record));
    return [{ ...shown(cutForList(summary)), Running: running, Returned: returned.map(({ id }) => id) }];
  }
}

/** A generator, since each job that is looked at costs the decoding of its request: nobody reads further than needed. */
async function* wantedOf(all: Iterable<records.AskedJob>, filter: JobFilter): AsyncGenerator<Asked> {
  for await (const one of inSlices(all, ({ request }) => request.length)) {
    const job = askedIn(one);
    if (job !== undefined && isWanted(job, filter)) yield cutForList(job);
  }
}

/** The next ones; what comes after them can still be asked for. */
async function upTo<T>(most: number, of: AsyncIterator<T>): Promise<readonly T[]> {
  const some: T[] = [];
  while (some.length < most) {
    const next = await of.next();
    if (next.done === true) break;
    some.push(next.value);
  }
  return some;
}
