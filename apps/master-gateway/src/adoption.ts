/**
 * What becomes of the jobs of a gateway that is gone: those whose time is not over are gone on with here, several at a time. Of those
 * whose time is over and of which nobody knows what was granted that is found out, as long as anybody grants it: a minion may have run them.
 *
 * A caller who waits has found another gateway by itself; this is for jobs that nobody waits for.
 */
import { digestOf, readAsked } from '@natrium/bus';
import type { JobTakeover, SignedRequest } from '@natrium/flow';
import type { JobCache } from './job-cache.js';
import type { PlacedJob } from './job-records.js';

const AT_ONCE = 8;

export interface AdoptionPorts {
  readonly cache: Pick<JobCache, 'leftBy' | 'isGranted' | 'forget'>;
  readonly takeover: Pick<JobTakeover, 'take' | 'settle'>;
  readonly now: () => number;
  /** How many jobs of which instance. */
  onAdopted(instance: string, jobs: number): void;
}

export class Adoption {
  constructor(private readonly ports: AdoptionPorts) {}

  /** @param isGone It will never come back: what it has written down of itself is removed. */
  async adopt(instance: string, isGone: boolean): Promise<void> {
    const { cache } = this.ports;
    const left = await cache.leftBy(instance);
    const works = (await Promise.all(left.map((job) => this.#workFor(job)))).flat();
    for (let from = 0; from < works.length; from += AT_ONCE) {
      await Promise.all(works.slice(from, from + AT_ONCE).map((work) => work()));
    }
    if (isGone) await cache.forget(instance);
    if (works.length > 0) this.ports.onAdopted(instance, works.length);
  }

  async #workFor(job: PlacedJob): Promise<readonly (() => Promise<unknown>)[]> {
    const { cache, takeover, now } = this.ports;
    const ask = askOf(job);
    if (ask === undefined) return [];
    const { started, jid } = job.asked;
    if (started + ask.request.timeout * 1000 >= now()) return [() => takeover.take(ask)];
    return (await cache.isGranted(jid)) ? [] : [() => takeover.settle(ask)];
  }
}

/** The caller's own signed words; who has not signed cannot be asked for again. */
function askOf({ asked, place }: PlacedJob): SignedRequest | undefined {
  const { request: bytes, signature, callerKey, batch } = asked;
  const request = readAsked(bytes);
  if (request === undefined || signature === null || callerKey === null) return undefined;
  const ask = { bytes, signature, credential: null, grantRun: null, callerKey, request, digest: digestOf(bytes) };
  return batch === null ? ask : { ...ask, place, batch };
}
