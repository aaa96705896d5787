/**
 * What a running runner may read here: jobs, presence, the accepted ids. Its grant-run proves that a caller was allowed to
 * run it; what it reads is only told to the runner-service.
 */
import { type Opened, readAsked } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { encode } from '@natrium/envelope';
import type { ActiveJobs } from '@natrium/flow';
import {
  fromPlain,
  isMap,
  jidOf,
  startTimeOf,
  parseJid,
  refusal,
  type Request,
  toPlain,
  type Value,
} from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';
import { AtOnce } from './at-once.js';
import type { JobCache } from './job-cache.js';
import { endedRun } from './kept-runs.js';
import type { Minions } from './minions.js';
import type { Presence } from './presence.js';
import { userOf } from './user-of.js';

type Answer = Body<typeof contracts.answer>;

/** What one message carries, and the next one that brings it to the caller. */
const MAX_ANSWER = 6 << 20;
/** What to do about an answer that is larger. */
const NARROWER: Readonly<Record<string, string>> = {
  jobs: 'ask for the jobs of a shorter time, with start_time and end_time of jobs.list_jobs',
  job: 'ask fewer minions at once, in batches, each of which is a job of its own',
  active: 'look at one of them with jobs.list_job',
};

/** Of jobs in progress so many are told, so many that minions name are looked for, and so many read at once. */
const MAX_ACTIVE = 1000;
const MAX_LOOKED_FOR = 4 * MAX_ACTIVE;
const READ_AT_ONCE = 32;
/** What stands for the process of a job: it may have several, or none of its own, and no minion tells. */
const NO_PROCESS = 0;

const OF_JOBS: ReadonlySet<string> = new Set(['jobs', 'job', 'active']);

/** Whoever has a grant-run of another runner, and that service's key, reads no jobs with it. */
function isJobsRun(run: Request | undefined): boolean {
  return run?.what === 'run' && run.funs.length === 1 && run.funs[0]?.startsWith('jobs.') === true;
}

export class Reads {
  constructor(
    private readonly link: RoleLink,
    private readonly cache: JobCache,
    private readonly jobs: ActiveJobs,
    private readonly minions: Minions,
    private readonly presence: Presence,
  ) {}

  async handle({ body }: Opened<typeof contracts.read>): Promise<Answer> {
    const proved = checkGrantRun(this.link, body.grantRun);
    if (!proved.ok) return { refusal: proved.error, result: null };
    const run = body.grantRun === null ? undefined : readAsked(body.grantRun.request);
    if (OF_JOBS.has(body.what) && !isJobsRun(run)) {
      const sentence = `jobs are read by the runners jobs.*, not by ${run?.funs.join(',') ?? 'another'}`;
      return { refusal: refusal('not_permitted', sentence), result: null };
    }
    const result = await this.#read(body.what, body.args);
    const bytes = encode(toPlain(result)).length;
    if (bytes <= MAX_ANSWER) return { refusal: null, result };
    const size = `${String(Math.ceil(bytes / (1 << 20)))} MiB`;
    const sentence = `the answer is ${size}, too large for one message: ${NARROWER[body.what] ?? 'ask for less'}`;
    return { refusal: refusal('bad_request', sentence), result: null };
  }

  async #read(what: string, args: Value): Promise<Value> {
    switch (what) {
      case 'accepted':
        return this.minions
          .all()
          .map(({ id }) => id)
          .sort();
      case 'present':
        return (await this.presence.ask()).map(({ id }) => id).sort();
      case 'jobs':
        return this.#jobs(args);
      case 'job':
        return this.#job(args);
      case 'active':
        return this.#active();
      default:
        return null;
    }
  }

  /** Those between two jids, both included, or all; without their minions, whom no list of jobs shows. */
  async #jobs(bounds: Value): Promise<Value> {
    const { from, to } = isMap(bounds) ? bounds : {};
    return (await this.cache.all())
      .filter(({ jid }) => (typeof from !== 'string' || jid >= from) && (typeof to !== 'string' || jid <= to))
      .map((record) => summary(record));
  }

  /** What is no jid names no job. */
  async #job(text: Value): Promise<Value> {
    const jid = parseJid(text);
    if (jid === undefined) return null;
    const record = await this.cache.byJid(jid);
    if (record === undefined) return endedRun(this.cache, jid);
    const stored = await this.cache.returnsOf(record);
    const result = stored.map(({ id, outcome }) => [
      id,
      {
        return: outcome.ret,
        retcode: outcome.retcode,
        success: outcome.success,
        ...(outcome.out === null ? {} : { out: outcome.out }),
      },
    ]);
    const entry = summary(record);
    const minions = record.members.map(({ id }) => id).sort();
    return isMap(entry) ? { ...entry, Minions: minions, Result: Object.fromEntries(result) as Value } : null;
  }

  /**
   * Jobs in progress, as the minions themselves tell: whichever gateway has sent them and however long ago, and none that has ended.
   * The newest first, where there are very many.
   */
  async #active(): Promise<Value> {
    const atWork = new Map<string, string[]>();
    const now = jidOf(this.link.clock.now() * 1000);
    for (const { id, running } of await this.presence.ask())
      for (const jid of running) {
        const ids = atWork.get(jid);
        if (ids !== undefined) ids.push(id);
        else if (jid <= now) atWork.set(jid, [id]);
      }
    // Jids that a minion has invented take no real job's place, while they are few enough to be looked for.
    const newest = [...atWork].sort(([a], [b]) => (a < b ? 1 : -1)).slice(0, MAX_LOOKED_FOR);
    const reading = new AtOnce(READ_AT_ONCE);
    const found = await Promise.all(newest.map(([jid, ids]) => reading.run(() => this.#atWork(jid, ids))));
    return found.flat().slice(0, MAX_ACTIVE);
  }

  /** @param ids Of the minions that say that they run it: of a job that was never theirs, nobody is believed. */
  async #atWork(jid: string, ids: readonly string[]): Promise<readonly Value[]> {
    const job = this.jobs.byJid(jid);
    const record = job?.record ?? (await this.cache.byJid(jid));
    if (record === undefined) return [];
    const members = new Set(record.members.map(({ id }) => id));
    const running = ids.filter((id) => members.has(id)).map((id) => ({ [id]: NO_PROCESS }));
    const entry = summary(record);
    if (!isMap(entry) || running.length === 0) return [];
    const returned = job?.told ?? (await this.cache.returnsOf(record));
    return [{ ...entry, Running: running, Returned: returned.map(({ id }) => id) }];
  }
}

/** A job as `jobs.list_jobs` shows it, with its jid. */
function summary(record: records.JobRecord): Value {
  const request = readAsked(record.request);
  const jid = parseJid(record.jid);
  if (request === undefined || jid === undefined) return null;
  const { funs, args, tgt, tgtType, options } = request;
  const metadata = options['metadata'];
  const single = funs.length === 1;
  const lists = args.map((list) => list.map((arg) => fromPlain(arg)));
  return {
    jid,
    Function: single ? (funs[0] ?? '') : [...funs],
    Arguments: single ? (lists[0] ?? []) : lists,
    Target: typeof tgt === 'string' ? tgt : [...tgt],
    'Target-type': tgtType,
    User: userOf(record.caller),
    StartTime: startTimeOf(jid),
    ...(metadata === undefined ? {} : { Metadata: fromPlain(metadata) }),
  };
}
