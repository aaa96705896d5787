/** Faults that are planted in the gateways' store of jobs: each has to break a promise. */
import { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import type { CacheOf } from './parties.js';

/** A job that was not granted here is removed, whoever has made it his own since then. */
class DropsAny extends JobCache {
  override async drop(...[place, revision]: Parameters<JobCache['drop']>): Promise<boolean> {
    const found = await this.find(place).catch(() => undefined);
    return super.drop(place, found?.revision ?? revision);
  }
}

/** What was granted is not written again when nobody acknowledged it. */
class ForgetsGrants extends JobCache {
  override async keepGrant(...[record, place]: Parameters<JobCache['keepGrant']>): Promise<void> {
    await super.keepGrant(record, place, 'now').catch(() => undefined);
  }
}

/** A minion hears that its return is stored when nobody acknowledged that. */
class TrustsReturns extends JobCache {
  override async storeReturn(...[stored]: Parameters<JobCache['storeReturn']>): Promise<void> {
    await super.storeReturn(stored).catch(() => undefined);
  }
}

/** Jobs that are open count as ended for whoever goes on with them. */
class ClosesEarly extends JobCache {
  override tellOldest(): Promise<unknown> {
    return super.tellOldest(() => false);
  }
}

/** By the word that `--planted` takes. */
export const PLANTED: ReadonlyMap<string, CacheOf> = new Map<string, CacheOf>([
  ['drops-any', (...given) => new DropsAny(...given)],
  ['forgets-grants', (...given) => new ForgetsGrants(...given)],
  ['trusts-returns', (...given) => new TrustsReturns(...given)],
  ['closes-early', (...given) => new ClosesEarly(...given)],
]);
