/**
 * What becomes of the jobs of a gateway that is gone: those whose time is not over are gone on with here, several at a time, and those of
 * which nobody knows what was granted, however late: a minion may have run them.
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
  readonly takeover: Pick<JobTakeover, 'take'>;
  now(): number;
  /** How many jobs of which instance. */
  onAdopted(instance: string, jobs: number): void;
}

export class Adoption {
  constructor(private readonly ports: AdoptionPorts) {}

  /** @param isGone It will never come back: what it has written down of itself is removed. */
  async adopt(instance: string, isGone: boolean): Promise<void> {
    const { cache, takeover } = this.ports;
    const left = await cache.leftBy(instance);
    const asks = (await Promise.all(left.map((job) => this.#askOf(job)))).flat();
    for (let from = 0; from < asks.length; from += AT_ONCE) {
      await Promise.all(asks.slice(from, from + AT_ONCE).map((ask) => takeover.take(ask)));
    }
    if (isGone) await cache.forget(instance);
    if (asks.length > 0) this.ports.onAdopted(instance, asks.length);
  }

  /** The caller's own signed words, as long as they can be granted. */
  async #askOf({ asked, place }: PlacedJob): Promise<readonly SignedRequest[]> {
    const { request: bytes, signature, callerKey, batch, jid, started } = asked;
    const request = readAsked(bytes);
    if (request === undefined || signature === null || callerKey === null) return [];
    const isOver = started + request.timeout * 1000 < this.ports.now();
    if (isOver && (await this.ports.cache.isGranted(jid))) return [];
    const ask = { bytes, signature, credential: null, grantRun: null, callerKey, request, digest: digestOf(bytes) };
    return [batch === null ? ask : { ...ask, place, batch }];
  }
}
