/** The stores of the job cache, and that of the jids. */
import type { Store } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { records } from '@natrium/wire';
import type { JobStores } from './job-cache.js';

const TAKEN_MS = 240_000;

/**
 * The least time for which it is remembered which gateway mints which jids of a minute: a minute is taken before it begins, and one
 * gateway's clock may be ahead while another's is behind.
 */
export function takenMs(skewMs: number): number {
  return TAKEN_MS + 4 * skewMs;
}

export async function openJobStores(link: RoleLink, keepJobsMs: number): Promise<JobStores> {
  const [first, second] = records.JOB_BUCKETS;
  const open = (name: string) => link.store(name, 'jobs', { ttlMs: keepJobsMs });
  return [await open(first), await open(second)];
}

/** Remembered for as long as jobs are kept, so that a clock that is set back mints none of them again. */
export function openJidStore(link: RoleLink, keepJobsMs: number): Promise<Store> {
  const ttlMs = keepJobsMs === 0 ? 0 : Math.max(keepJobsMs, takenMs(link.clock.skewMs));
  return link.store('jids', 'jobs', { ttlMs });
}
