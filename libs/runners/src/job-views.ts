/** Jobs in the shapes that Salt's clients read. */
import { isTrue, outForAll, parseJid, startTimeOf, type ValueMap } from '@natrium/model';
import type { ActiveJob, JobDetail, JobResult, JobSummary } from './runner-context.js';
import { withinAnswer } from './within-answer.js';

/** Levels around what a minion returned: of `jobs.lookup_jid`, and of `jobs.print_job`, which shows the most. */
const LOOKED_UP = 1;
const PRINTED = 4;

function startTime(text: string): string {
  const jid = parseJid(text);
  return jid === undefined ? '' : startTimeOf(jid);
}

function summary({ fun, arg, tgt, tgtType, user, metadata }: JobSummary): ValueMap {
  const attached = metadata === undefined ? {} : { Metadata: metadata };
  return { Function: fun, Arguments: arg, Target: tgt, 'Target-type': tgtType, User: user, ...attached };
}

export function listView(jobs: readonly JobSummary[]): ValueMap {
  return Object.fromEntries(
    oldestFirst(jobs).map((job) => [job.jid, { ...summary(job), StartTime: startTime(job.jid) }]),
  );
}

/** As `jobs.list_jobs_filter` shows them: a list, in which each job holds its jid. */
export function filterView(jobs: readonly JobSummary[]): readonly ValueMap[] {
  return oldestFirst(jobs).map((job) => ({ ...summary(job), JID: job.jid, StartTime: startTime(job.jid) }));
}

function oldestFirst(jobs: readonly JobSummary[]): readonly JobSummary[] {
  return [...jobs].sort((a, b) => (a.jid < b.jid ? -1 : 1));
}

export function detailView(jid: string, job: JobDetail | undefined): ValueMap {
  if (job === undefined) {
    return { jid, Error: 'Cannot contact returner or no job with this jid', StartTime: startTime(jid), Result: {} };
  }
  const results = Object.entries(job.returns).map(([id, one]) => [id, resultView(one)] as const);
  return {
    jid,
    ...summary(job),
    Minions: [...job.minions],
    StartTime: startTime(jid),
    Result: Object.fromEntries(results),
    ...(job.left === undefined ? {} : { Left: [...job.left] }),
  };
}

function resultView({ ret, retcode, success, out }: JobResult): ValueMap {
  return { return: withinAnswer(ret, PRINTED), retcode, success, ...(out === undefined ? {} : { out }) };
}

export function activeView(jobs: readonly ActiveJob[]): ValueMap {
  return Object.fromEntries(
    jobs.map((job) => [
      job.jid,
      {
        ...summary(job),
        StartTime: startTime(job.jid),
        Returned: job.returned,
        Running: job.running.map(({ id, pid }) => ({ [id]: pid })),
      },
    ]),
  );
}

interface Lookup {
  readonly value: ValueMap;
  /** The outputter that the first of the returns asks for, as in Salt. */
  readonly out: string | undefined;
}

export function lookupView(
  job: JobDetail | undefined,
  show: { readonly returned: boolean; readonly missing: boolean },
): Lookup {
  const returns = Object.entries(job?.returns ?? {});
  const silent = (job?.minions ?? []).filter((id) => !Object.hasOwn(job?.returns ?? {}, id));
  const value = Object.fromEntries([
    ...(show.returned ? returns.map(([id, { ret }]) => [id, withinAnswer(ret, LOOKED_UP)] as const) : []),
    ...(show.missing ? silent.map((id) => [id, 'Minion did not return'] as const) : []),
  ]);
  return { value, out: outForAll(returns[0]?.[1].out) };
}

export function returnsView(job: JobDetail | undefined): ValueMap {
  const { minions = [], returns = {} } = job ?? {};
  const all = new Set([...minions, ...Object.keys(returns)]);
  return Object.fromEntries([...all].map((id) => [id, Object.hasOwn(returns, id) && isTrue(returns[id]?.ret ?? null)]));
}
