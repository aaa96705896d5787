/**
 * What a running runner may read here: jobs, presence, the accepted ids. Its grant-run proves that a caller was allowed to
 * run it; what it reads is only told to the runner-service.
 */
import { type Opened, readAsked } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import type { ActiveJobs } from '@natrium/flow';
import { fromPlain, isMap, startTimeOf, parseJid, type Value } from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';
import type { JobCache } from './job-cache.js';
import type { Minions } from './minions.js';
import type { Presence } from './presence.js';
import { userOf } from './user-of.js';

type Answer = Body<typeof contracts.answer>;

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
    return { refusal: null, result: await this.#read(body.what, body.args) };
  }

  async #read(what: string, args: Value): Promise<Value> {
    switch (what) {
      case 'accepted':
        return this.minions
          .all()
          .map(({ id }) => id)
          .sort();
      case 'present':
        return (await this.presence.ask([])).map(({ id }) => id).sort();
      case 'jobs':
        return (await this.cache.all()).map((record) => summary(record));
      case 'job':
        return this.#job(args);
      case 'active':
        return this.#active();
      default:
        return null;
    }
  }

  /** What is no jid names no job. */
  async #job(text: Value): Promise<Value> {
    const jid = parseJid(text);
    const record = jid === undefined ? undefined : await this.cache.byJid(jid);
    if (record === undefined) return null;
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
    return isMap(entry) ? { ...entry, Result: Object.fromEntries(result) as Value } : null;
  }

  /** Jobs in progress, asked of the minions themselves: what no longer runs is not active. */
  async #active(): Promise<Value> {
    const here = this.jobs.all();
    const present = await this.presence.ask(here.map(({ record }) => record.jid).slice(0, 256));
    return here.flatMap((job) => {
      const running = present
        .filter((minion) => minion.running.includes(job.record.jid))
        .map(({ id }) => ({ [id]: 0 }));
      const entry = summary(job.record);
      if (!isMap(entry) || running.length === 0) return [];
      return [{ ...entry, Running: running, Returned: job.told.map(({ id }) => id) }];
    });
  }
}

/** A job as `jobs.list_jobs` shows it, with its jid and minions. */
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
    Minions: record.members.map(({ id }) => id).sort(),
  };
}
