/** A gateway to its own parts. */
import type { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import type { AnyGateway } from './parties.js';
import type { World } from './world.js';

export interface OwnGateway extends AnyGateway {
  readonly world: World;
  readonly cache: JobCache;
}
