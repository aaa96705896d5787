/**
 * What a running runner may read here: jobs, presence, the accepted ids. Its grant-run proves that a caller was allowed to
 * run it; what it reads is only told to the runner-service.
 */
import { isStoreFailure, type Opened, readAsked, StoredCorrupt } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { isMap, ok, pyStr, refusal, type Refusal, refuse, type Request, type Result, type Value } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import type { JobReads } from './job-reads.js';
import { inMiB, MAX_ANSWER, sizeOf } from './job-views.js';
import type { Minions } from '../minions/minions.js';
import type { Presence } from '../minions/presence.js';

type Answer = Body<typeof contracts.answer>;

const WORKING_MS = 1000;

const OF_JOBS: ReadonlySet<string> = new Set(['jobs', 'job', 'active']);

/** Whoever has a grant-run of another runner, and that service's key, reads no jobs with it. */
function isJobsRun(run: Request | undefined): boolean {
  return run?.what === 'run' && run.funs.length === 1 && run.funs[0]?.startsWith('jobs.') === true;
}

export class Reads {
  constructor(
    private readonly link: RoleLink,
    private readonly jobs: JobReads,
    private readonly minions: Minions,
    private readonly presence: Presence,
  ) {}

  /** While it reads, who asked hears each second that it does: a day's jobs of a broker that is busy take their time. */
  async handle(opened: Opened<typeof contracts.read>): Promise<Answer> {
    const { what } = opened.body;
    const sayingSo = setInterval(() => {
      opened.answer(contracts.working, { what });
    }, WORKING_MS);
    try {
      return await this.#handle(opened.body);
    } finally {
      clearInterval(sayingSo);
    }
  }

  async #handle(body: Body<typeof contracts.read>): Promise<Answer> {
    const proved = checkGrantRun(this.link, body.grantRun);
    if (!proved.ok) return { refusal: proved.error, result: null };
    const run = body.grantRun === null ? undefined : readAsked(body.grantRun.request);
    if (OF_JOBS.has(body.what) && !isJobsRun(run)) {
      const sentence = `jobs are read by the runners jobs.*, not by ${run?.funs.join(',') ?? 'another'}`;
      return { refusal: refusal('not_permitted', sentence), result: null };
    }
    const read = await unlessUnread(body.what, this.#read(body.what, body.args));
    if (!read.ok) return { refusal: read.error, result: null };
    const result = read.value;
    const bytes = sizeOf(result);
    if (bytes <= MAX_ANSWER) return { refusal: null, result };
    const sentence = `the answer is ${inMiB(bytes)}, too large for one message, which carries ${inMiB(MAX_ANSWER)}: ${narrower(body.what, body.args)}`;
    return { refusal: refusal('bad_request', sentence), result: null };
  }

  async #read(what: string, args: Value): Promise<Result<Value, Refusal>> {
    switch (what) {
      case 'accepted':
        return ok(idsOf(this.minions.all()));
      case 'present':
        return ok(idsOf(await this.presence.ask(silentMsIn(args))));
      case 'jobs':
        return ok(await this.jobs.list(args));
      case 'job':
        return this.jobs.lookUp(args);
      case 'active':
        return ok(await this.jobs.active());
      default:
        return ok(null);
    }
  }
}

/** The store did not answer, or has what cannot be read: whoever asked hears it at once, instead of waiting for a gateway. */
async function unlessUnread(what: string, reading: Promise<Result<Value, Refusal>>): Promise<Result<Value, Refusal>> {
  const read = what === 'job' ? 'the job' : 'jobs';
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof StoredCorrupt) return refuse('bad_request', `${read} cannot be read: ${cause.message}`);
    if (isStoreFailure(cause)) return refuse('store_unavailable', `${read} cannot be read now: ${cause.message}`);
    throw cause;
  }
}

function idsOf(minions: readonly { readonly id: string }[]): Value {
  return minions.map(({ id }) => id).sort();
}

/** For how long who is connected may say nothing; undefined where nothing is said of it. */
function silentMsIn(args: Value): number | undefined {
  const ms = isMap(args) ? args['silent_ms'] : undefined;
  return typeof ms === 'number' ? ms : undefined;
}

/** What to do about an answer that is too large. */
function narrower(what: string, args: Value): string {
  switch (what) {
    case 'jobs':
      return isMap(args) && args['latest'] !== undefined
        ? 'ask for fewer jobs'
        : 'ask for the jobs of a shorter time, with start_time and end_time of jobs.list_jobs';
    case 'job':
      return `ask for some of the minions of ${pyStr(isMap(args) ? (args['jid'] ?? null) : args)}, with minions of jobs.list_job or jobs.lookup_jid; jobs.exit_success names them all, and natriumctl job follow prints them all`;
    case 'active':
      return 'look at one of them with jobs.list_job';
    default:
      return 'ask for less';
  }
}
