/**
 * What `jobs.*` show: jobs as they were asked for, what was returned to one, and which are in progress. What is wanted of them is
 * looked for here, so that no others have to fit into an answer, and arguments that are long are cut.
 */
import { inSlices, readAsked } from '@natrium/bus';
import { encode } from '@natrium/envelope';
import type { ActiveJobs } from '@natrium/flow';
import {
  fromPlain,
  isList,
  isMap,
  isTrue,
  type Jid,
  jidOf,
  parseJid,
  startTimeOf,
  toPlain,
  type Value,
  type ValueMap,
} from '@natrium/model';
import {
  anyOf,
  isInTime,
  isWanted,
  type JobFilter,
  jobFilterIn,
  type JobPart,
  jobPartIn,
  type JobSummary,
} from '@natrium/runners';
import type { records } from '@natrium/wire';
import { AtOnce } from './at-once.js';
import type { JobCache } from './job-cache.js';
import { endedRun } from './kept-runs.js';
import type { Presence } from './presence.js';
import { userOf } from './user-of.js';

/** Of jobs in progress so many are told, so many that minions name are looked for, and so many read at once. */
const MAX_ACTIVE = 1000;
const MAX_LOOKED_FOR = 4 * MAX_ACTIVE;
const READ_AT_ONCE = 32;
/** What stands for the process of a job: it may have several, or none of its own, and no minion tells. */
const NO_PROCESS = 0;
/** Of a job's arguments so many bytes are shown among others, and where it is alone: beside them is room for the largest return. */
const ARGUMENTS_LISTED = 1 << 10;
const ARGUMENTS_ALONE = 512 << 10;
/** What one message carries, and the next one that brings it to the caller: the largest return (6 MiB), with what is said beside it. */
export const MAX_ANSWER = 7 << 20;

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
   * Oldest first; without their minions, whom no list of jobs shows. What was granted is read of those alone that are told: with the
   * minions of every job it is most of what is kept.
   *
   * @param wanted A `JobFilter`.
   */
  async list(wanted: Value): Promise<Value> {
    const { cache } = this.ports;
    const filter = jobFilterIn(wanted);
    const { latest = Infinity } = filter;
    const newestFirst = wantedOf(await cache.asked((job) => isInTime(job, filter)), filter);
    const told: Summary[] = [];
    // Some may not be granted, and however many those are, few looks find the others.
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
    return { ...shown(cutTo(ARGUMENTS_ALONE, job)), Minions: minions, Result: Object.fromEntries(result) as Value };
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
    return [{ ...shown(cutTo(ARGUMENTS_LISTED, summary)), Running: running, Returned: returned.map(({ id }) => id) }];
  }
}

/** With a jid that names a time. */
type Summary = JobSummary & { readonly jid: Jid };

/** What the job says without its grant. */
type Asked = Omit<Summary, 'user'>;

/** Is read no further than needed: each of these decodes a request. */
async function* wantedOf(all: Iterable<records.AskedJob>, filter: JobFilter): AsyncGenerator<Asked> {
  for await (const one of inSlices(all, ({ request }) => request.length)) {
    const job = askedIn(one);
    if (job !== undefined && isWanted(job, filter)) yield cutTo(ARGUMENTS_LISTED, job);
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

function summaryOf(record: records.JobRecord): Summary | undefined {
  const job = askedIn(record);
  return job === undefined ? undefined : { ...job, user: userOf(record.caller) };
}

function askedIn(record: records.AskedJob): Asked | undefined {
  const request = readAsked(record.request);
  const jid = parseJid(record.jid);
  if (request === undefined || jid === undefined) return undefined;
  const { funs, args, tgt, tgtType, options } = request;
  const single = funs.length === 1;
  const lists = args.map((list) => list.map((arg) => fromPlain(arg)));
  const metadata = options['metadata'] === undefined ? null : fromPlain(options['metadata']);
  return {
    jid,
    fun: single ? (funs[0] ?? '') : [...funs],
    arg: single ? (lists[0] ?? []) : lists,
    tgt: typeof tgt === 'string' ? tgt : [...tgt],
    tgtType,
    ...(isMap(metadata) ? { metadata } : {}),
  };
}

/** A job as `jobs.list_jobs` shows it, with its jid. */
function shown({ jid, fun, arg, tgt, tgtType, user, metadata }: Summary): ValueMap {
  return {
    jid,
    Function: fun,
    Arguments: arg,
    Target: tgt,
    'Target-type': tgtType,
    User: user,
    StartTime: startTimeOf(jid),
    ...(metadata === undefined ? {} : { Metadata: metadata }),
  };
}

/** @param most Bytes of its arguments. */
function cutTo<T extends Asked>(most: number, job: T): T {
  return { ...job, arg: cut(job.arg, most) };
}

/** The first ones that fit, and how much there is of all. */
function cut(args: readonly Value[], most: number): readonly Value[] {
  const sizes = args.map((arg) => sizeOf(arg));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= most) return args;
  let left = most;
  const firstCut = sizes.findIndex((size) => (left -= size) < 0);
  return [...args.slice(0, firstCut), `[cut: the arguments have ${String(all)} bytes]`];
}

/** Of some of its minions, and without values, where that is wanted. */
function partOf(job: ValueMap, { minions: globs, values = true }: JobPart): ValueMap {
  const { Minions: minions = [], Result: result = {} } = job;
  const isWanted = globs === undefined ? () => true : anyOf(globs);
  const ids = isList(minions) ? minions.filter((id) => typeof id === 'string' && isWanted(id)) : [];
  const returns = Object.entries(isMap(result) ? result : {}).filter(([id]) => isWanted(id));
  const told = values ? returns : returns.map(([id, one]) => [id, withoutValue(one)] as const);
  return { ...job, Minions: ids, Result: Object.fromEntries(told) };
}

/** As many of its returns as one message carries, and under `Left` whose it does not. */
function fitting(job: ValueMap): ValueMap {
  const { Result: result = {}, ...about } = job;
  const returns = Object.entries(isMap(result) ? result : {}).map(
    ([id, one]) => ({ id, one, bytes: sizeOf({ [id]: one }) }) as const,
  );
  const all = sizeOf(about) + returns.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all <= MAX_ANSWER) return job;
  let room = MAX_ANSWER - sizeOf({ ...about, Result: {}, Left: returns.map(({ id }) => id) });
  const told: [string, Value][] = [];
  const left: string[] = [];
  for (const { id, one, bytes } of returns) {
    if (bytes > room) left.push(id);
    else {
      room -= bytes;
      told.push([id, one]);
    }
  }
  return { ...about, Result: Object.fromEntries(told), Left: left };
}

function withoutValue(one: Value): Value {
  return isMap(one) ? { ...one, return: isTrue(one['return'] ?? null) } : one;
}

/** Bytes of a value on its way. */
export function sizeOf(value: Value): number {
  return encode(toPlain(value)).length;
}

/** @returns `8 MiB`, rounded up. */
export function inMiB(bytes: number): string {
  return `${String(Math.ceil(bytes / (1 << 20)))} MiB`;
}
