/** Finds jobs in the cache by function, target and time. */
import { isMap, isTrue, pyStr, type Value, type ValueMap } from '@natrium/model';
import { InvocationError } from '@natrium/modules';
import { globsOf } from './job-filter.js';
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
  const wanted = filterOf({ function: search_function, target: search_target, metadata: search_metadata });
  return jobs.list({ ...from, ...to, ...wanted });
}

/** The latest `count`; none for a count that is not above 0. */
export async function latestJobs(
  jobs: JobsPort,
  count: number,
  withoutFindJob: boolean,
): Promise<readonly JobSummary[]> {
  if (count <= 0) return [];
  return jobs.list({ latest: count, ...(withoutFindJob ? { without: 'saltutil.find_job' } : {}) });
}

export async function lastRun(jobs: JobsPort, wanted: Wanted): Promise<JobSummary | undefined> {
  return (await jobs.list({ ...filterOf(wanted), latest: 1 })).at(-1);
}

interface Wanted {
  readonly function: Value;
  readonly target: Value;
  readonly metadata: Value;
}

function filterOf({ function: fun, target, metadata }: Wanted): JobFilter {
  const [functions, targets, attached] = [globsOf(fun), globsOf(target), metadataIn(metadata)];
  return {
    ...(functions === undefined ? {} : { functions }),
    ...(targets === undefined ? {} : { targets }),
    ...(attached === undefined ? {} : { metadata: attached }),
  };
}

/** @throws {InvocationError} When what is wanted is no map. Diverges: Salt logs it and finds nothing. */
function metadataIn(wanted: Value): ValueMap | undefined {
  if (!isTrue(wanted)) return undefined;
  if (!isMap(wanted)) throw new InvocationError(`metadata to search for is a map, not '${pyStr(wanted)}'`);
  return wanted;
}
