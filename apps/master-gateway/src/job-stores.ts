/** The stores of the job cache. */
import type { Store } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { records } from '@natrium/wire';
import { takenMs } from './job-index.js';

export interface JobStores {
  /** `JOB_BUCKETS`, in their order: which one has a job is told by its place. The first has the groups as well. */
  readonly kept: readonly [Store, ...Store[]];
  /** In the broker's memory, for longer than the clocks of two gateways may differ. */
  readonly taken: Store;
}

export async function openJobStores(link: RoleLink, keepJobsMs: number): Promise<JobStores> {
  const [first, second] = records.JOB_BUCKETS;
  const open = (name: string) => link.store(name, 'jobs', { ttlMs: keepJobsMs });
  const taken = await link.store('jids', 'jobs', { ttlMs: takenMs(link.clock.skewMs), inMemory: true });
  return { kept: [await open(first), await open(second)], taken };
}
