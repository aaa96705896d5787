/** Finds jobs in the cache by function, target and time. */
import { isDeepStrictEqual } from 'node:util';
import { isList, isMap, isTrue, pyStr, type Value } from '@natrium/model';
import { InvocationError, matchesGlob } from '@natrium/modules';
import { jidAt } from './job-time.js';
import type { JobFilter, JobsPort, JobSummary } from './runner-context.js';

export interface JobSearch {
  readonly search_metadata: Value;
  readonly search_function: Value;
  readonly search_target: Value;
  readonly start_time: string;
  readonly end_time: string;
}

/** @throws {InvocationError} When a time cannot be read. */
export async function listJobs(jobs: JobsPort, search: JobSearch, nowMs: number): Promise<readonly JobSummary[]> {
  const from = search.start_time === '' ? {} : { from: jidAt(search.start_time, nowMs) };
  const to = search.end_time === '' ? {} : { to: jidAt(search.end_time, nowMs) };
  const { search_function, search_target, search_metadata } = search;
  return matching(
    jobs,
    { ...from, ...to },
    { function: search_function, target: search_target, metadata: search_metadata },
  );
}

/** The latest `count`; none for a count that is not above 0. */
export async function latestJobs(
  jobs: JobsPort,
  count: number,
  withoutFindJob: boolean,
): Promise<readonly JobSummary[]> {
  const all = (await jobs.list({})).filter(({ fun }) => !withoutFindJob || fun !== 'saltutil.find_job');
  return count > 0 ? all.toSorted((a, b) => (a.jid < b.jid ? -1 : 1)).slice(-count) : [];
}

export async function lastRun(jobs: JobsPort, wanted: Wanted): Promise<JobSummary | undefined> {
  const found = await matching(jobs, {}, wanted);
  return found.reduce<JobSummary | undefined>(
    (last, job) => (last === undefined || job.jid > last.jid ? job : last),
    undefined,
  );
}

interface Wanted {
  readonly function: Value;
  readonly target: Value;
  readonly metadata: Value;
}

async function matching(
  jobs: JobsPort,
  filter: JobFilter,
  { function: fun, target, metadata }: Wanted,
): Promise<readonly JobSummary[]> {
  const [functions, targets] = [globsOf(fun), globsOf(target)];
  const inTime = ({ jid }: JobSummary): boolean =>
    (filter.from ?? '') <= jid && (filter.to === undefined || jid <= filter.to);
  return (await jobs.list(filter)).filter(
    (job) =>
      inTime(job) &&
      anyMatches(functions, [job.fun].flat()) &&
      anyMatches(targets, [job.tgt].flat()) &&
      hasMetadata(job, metadata),
  );
}

/**
 * One key of it suffices, as in Salt.
 *
 * @throws {InvocationError} When what is wanted is no map. Diverges: Salt logs it and finds nothing.
 */
function hasMetadata({ metadata = {} }: JobSummary, wanted: Value): boolean {
  if (!isTrue(wanted)) return true;
  if (!isMap(wanted)) throw new InvocationError(`metadata to search for is a map, not '${pyStr(wanted)}'`);
  return Object.entries(wanted).some(
    ([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value),
  );
}

function globsOf(words: Value): readonly string[] | undefined {
  if (words === null || words === '') return undefined;
  return isList(words)
    ? words.map(pyStr)
    : pyStr(words)
        .split(',')
        .map((word) => word.trim());
}

function anyMatches(globs: readonly string[] | undefined, names: readonly string[]): boolean {
  return globs === undefined || globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
}
