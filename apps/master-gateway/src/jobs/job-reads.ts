/**
 * What the runners `jobs.*` read: jobs as they were asked for, what was returned to one, and which are in progress. Filters are applied
 * here, where the job cache is, so that only what is wanted has to fit into an answer.
 */
import { inSlices } from '@natrium/bus';
import type { ActiveJobs } from '@natrium/flow';
import {
  isMap,
  type Jid,
  jidOf,
  ok,
  parseJid,
  type Principal,
  type Refusal,
  refuse,
  type Result,
  type Value,
} from '@natrium/model';
import { isInTime, isWanted, type JobFilter, jobFilterIn, jobPartIn } from '@natrium/runners';
import type { records } from '@natrium/wire';
import { AtOnce } from '../at-once.js';
import type { JobCache } from './job-cache.js';
import type { SomeJobs } from './job-records.js';
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

/** The latest jobs are looked for among about so many changes, and where that is not enough among so many times as many. */
const FIRST_DEPTH = 512;
const DEEPER = 8;
/** For so long a job may have been asked for without a decision that is written. Who looks it up waits for so long for that. */
const UNDECIDED_FOR_MS = 600_000;
const DECIDED_MS = 5000;
const UNDECIDED = 'and what was decided on it cannot be read yet: ask again';
/** At most so many jobs in progress are told; so many of those that minions name are looked for, and so many read at once. */
const MAX_ACTIVE = 1000;
const MAX_LOOKED_FOR = 4 * MAX_ACTIVE;
const READ_AT_ONCE = 32;
/** What stands for the process of a job: it may have several, or none of its own, and no minion tells. */
const NO_PROCESS = 0;

export interface JobReadPorts {
  readonly cache: Pick<
    JobCache,
    'asked' | 'callersOf' | 'grantedFrom' | 'byJid' | 'placeOfUndecided' | 'whenDecided' | 'returnsOf'
  >;
  readonly jobs: Pick<ActiveJobs, 'byJid'>;
  readonly presence: Pick<Presence, 'ask'>;
  /** Milliseconds since 1970, and how far a clock may be off. */
  readonly clock: { now(): number; readonly skewMs: number };
  /** Ends the waiting for a decision; by the clock, when it is left out. */
  readonly deadline?: () => AbortSignal;
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
    const filter = jobFilterIn(wanted);
    const { latest } = filter;
    const newestFirst = latest === undefined ? await this.#allOf(filter) : await this.#latestOf(filter, latest);
    return [...newestFirst].reverse().map(shown);
  }

  async #allOf(filter: JobFilter): Promise<readonly Summary[]> {
    return this.#granted(await this.ports.cache.asked(wantedBy(filter)), Infinity);
  }

  /**
   * Jobs are kept in the order of their writing, which is nearly that of their jids: those that were written last are looked at first. A
   * job of a gateway whose clock is ahead, or beside very many that were moved to another gateway, may be later and not among them.
   * So it is looked whether all that are granted since the first that would be told are known; if not, more is read. What is wanted may be
   * rare and long ago: then all is read, and none but the wanted are held.
   */
  async #latestOf(filter: JobFilter, latest: number): Promise<readonly Summary[]> {
    if (latest <= 0) return [];
    for (let depth = FIRST_DEPTH; ; depth *= DEEPER) {
      const known = new Set<string>();
      const asked = await this.ports.cache.asked(wantedBy(filter, known), depth);
      const told = await this.#granted(asked, latest);
      const oldest = told.length < latest ? undefined : told.at(-1);
      if (asked.isAll || (oldest !== undefined && (await this.#isAllFrom(oldest.jid, known, filter)))) return told;
    }
  }

  async #isAllFrom(jid: string, known: ReadonlySet<string>, filter: JobFilter): Promise<boolean> {
    const granted = await this.ports.cache.grantedFrom(jid);
    return granted?.every((one) => known.has(one) || !isInTime({ jid: one }, filter)) ?? false;
  }

  /** The first `latest` of them that are granted. */
  async #granted({ jobs, looked }: SomeJobs, latest: number): Promise<readonly Summary[]> {
    const newestFirst = summariesOf(jobs);
    const told: Summary[] = [];
    // Some jobs may not be granted. Twice as many are tried each time, so that few rounds find enough others.
    for (let most = latest; told.length < latest; most *= 2) {
      const some = await upTo(most, newestFirst);
      if (some.length === 0) break;
      const callers = await this.ports.cache.callersOf(
        some.map(({ jid }) => jid),
        latest === Infinity ? looked : undefined,
      );
      for (const job of some) {
        const caller = callers.get(job.jid);
        if (caller !== undefined) told.push({ ...job, user: userOf(caller) });
      }
    }
    return told.slice(0, latest);
  }

  /**
   * One job, and what its minions returned. What is no jid names no job.
   *
   * @param asked The jid, or a map of it and a `JobPart`.
   */
  async one(asked: Value): Promise<Value> {
    const jid = jidIn(asked);
    if (jid === undefined) return null;
    const { cache } = this.ports;
    const record = await cache.byJid(jid);
    const job = record === undefined ? await endedRun(cache, jid) : await this.#whole(record);
    if (!isMap(job)) return null;
    const wanted = jobPartIn(asked);
    const part = partOf(job, wanted);
    return wanted.partial === true ? fitting(part) : part;
  }

  /**
   * The same, and a job that was asked for of which nobody can read yet what was granted is waited for: its gateway waits for the decision,
   * or for a broker that takes no writes. `store_unavailable`: that lasts.
   */
  async lookUp(asked: Value): Promise<Result<Value, Refusal>> {
    const { cache, deadline = () => AbortSignal.timeout(DECIDED_MS) } = this.ports;
    const jid = jidIn(asked);
    for (let hasWaited = false; ; hasWaited = true) {
      const job = await this.one(asked);
      if (job !== null || jid === undefined || !this.#isNew(jid)) return ok(job);
      const place = await cache.placeOfUndecided(jid);
      // Once it is written it is not among these any more.
      if (place === undefined) return ok(await this.one(asked));
      if (hasWaited) return refuse('store_unavailable', `the job ${jid} was asked for, ${UNDECIDED}`);
      await cache.whenDecided(jid, place, deadline());
    }
  }

  /**
   * Who has asked for a job; undefined: none of this jid is kept any more.
   *
   * @throws {Error} When that cannot be told yet: it is so new that its gateway may still be writing what was granted.
   */
  async ownerOf(jid: string): Promise<Principal | undefined> {
    const record = await this.ports.cache.byJid(jid);
    if (record === undefined && this.#isNew(jid)) throw new Error(`the job ${jid} is new, ${UNDECIDED}`);
    return record?.caller;
  }

  #isNew(jid: string): boolean {
    const { clock } = this.ports;
    const at = (ms: number) => jidOf(Math.floor(clock.now() + ms) * 1000);
    return jid > at(-UNDECIDED_FOR_MS) && jid < at(2 * clock.skewMs);
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

/**
 * Tells whether a job is wanted. What is asked of its time alone is told without decoding its request.
 *
 * @param known Takes the jids of all that are in time.
 */
function wantedBy(filter: JobFilter, known?: Set<string>): (one: records.AskedJob) => boolean {
  const { from: _from, to: _to, latest: _latest, ...more } = filter;
  const isMore = Object.keys(more).length > 0;
  return (one) => {
    if (!isInTime(one, filter)) return false;
    known?.add(one.jid);
    const job = isMore ? askedIn(one) : undefined;
    return !isMore || (job !== undefined && isWanted(job, filter));
  };
}

/** A generator, since each job costs the decoding of its request: nobody reads further than needed. */
async function* summariesOf(all: Iterable<records.AskedJob>): AsyncGenerator<Asked> {
  for await (const one of inSlices(all, ({ request }) => request.length)) {
    const job = askedIn(one);
    if (job !== undefined) yield cutForList(job);
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

function jidIn(asked: Value): Jid | undefined {
  return parseJid(isMap(asked) ? asked['jid'] : asked);
}
