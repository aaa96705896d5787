/**
 * How a job looks in an answer of `jobs.*`: as it was asked for, with its arguments cut where they are long, and with as many of its returns
 * as one message carries.
 */
import { readAsked } from '@natrium/bus';
import { encodedSize } from '@natrium/envelope';
import {
  fromPlain,
  isList,
  isMap,
  isTrue,
  type Jid,
  parseJid,
  startTimeOf,
  toPlain,
  type Value,
  type ValueMap,
} from '@natrium/model';
import { anyOf, type JobPart, type JobSummary, withinAnswer } from '@natrium/runners';
import type { records } from '@natrium/wire';
import { userOf } from '../minions/user-of.js';

/** So many bytes of a job's arguments are shown in a list, and where the job is shown alone: the largest return fits beside them. */
const ARGUMENTS_LISTED = 1 << 10;
const ARGUMENTS_ALONE = 512 << 10;
/** Levels around an argument in a list of jobs, and around a value of its metadata. */
const AROUND = 3;
/** Bytes of an answer that one message carries, and the next message on the way to the caller: the largest return (6 MiB) and a MiB around it. */
export const MAX_ANSWER = 7 << 20;

/** With a jid that was parsed, so that it names a time. */
export type Summary = JobSummary & { readonly jid: Jid };

/** What the job says without its grant. */
export type Asked = Omit<Summary, 'user'>;

/** @returns undefined when its request or its jid cannot be read. */
export function summaryOf(record: records.JobRecord): Summary | undefined {
  const job = askedIn(record);
  return job === undefined ? undefined : { ...job, user: userOf(record.caller) };
}

/** The same without what only the grant tells, its user. */
export function askedIn(record: records.AskedJob): Asked | undefined {
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
export function shown({ jid, fun, arg, tgt, tgtType, user, metadata }: Summary): ValueMap {
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

/** With its arguments as a list of jobs shows them. */
export function cutForList<T extends Asked>(job: T): T {
  return cutTo(job, ARGUMENTS_LISTED);
}

/** With its arguments as they are shown where the job is alone. */
export function cutForOne<T extends Asked>(job: T): T {
  return cutTo(job, ARGUMENTS_ALONE);
}

/** An argument of a job or run that is shown, or a value of its metadata. */
export function shallow(value: Value): Value {
  return withinAnswer(value, AROUND);
}

function cutTo<T extends Asked>(job: T, most: number): T {
  const { arg, metadata } = job;
  const attached = Object.entries(metadata ?? {}).map(([key, value]) => [key, shallow(value)] as const);
  return {
    ...job,
    arg: cut(arg.map(shallow), most),
    ...(metadata === undefined ? {} : { metadata: Object.fromEntries(attached) }),
  };
}

/** The first arguments that fit into so many bytes, and how many bytes all of them have. */
function cut(args: readonly Value[], most: number): readonly Value[] {
  const sizes = args.map((arg) => sizeOf(arg));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= most) return args;
  let room = most;
  const kept = args.filter((_, index) => {
    room -= sizes[index] ?? 0;
    return room >= 0;
  });
  return [...kept, `[cut: the arguments have ${String(all)} bytes]`];
}

/** The part of a job that is wanted: of some of its minions only, or without the values that were returned. */
export function partOf(job: ValueMap, { minions: globs, values = true }: JobPart): ValueMap {
  const { Minions: minions = [], Result: result = {} } = job;
  const isWanted = globs === undefined ? () => true : anyOf(globs);
  const ids = isList(minions) ? minions.filter((id) => typeof id === 'string' && isWanted(id)) : [];
  const returns = Object.entries(isMap(result) ? result : {}).filter(([id]) => isWanted(id));
  const told = values ? returns : returns.map(([id, one]) => [id, withoutValue(one)] as const);
  return { ...job, Minions: ids, Result: Object.fromEntries(told) };
}

/** The job with as many of its returns as one message carries; `Left` names the minions whose returns are not among them. */
export function fitting(job: ValueMap): ValueMap {
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
  return encodedSize(toPlain(value));
}

/** @returns `8 MiB`, rounded up. */
export function inMiB(bytes: number): string {
  return `${String(Math.ceil(bytes / (1 << 20)))} MiB`;
}
