/**
 * What becomes of the jobs of a gateway that is gone: those whose time is not over are gone on with here, several at a time.
 *
 * A caller who waits has found another gateway by itself; this is for jobs that nobody waits for. Those that have ended are found by
 * their jids, also when their gateway died before it had written these down.
 */
import { digestOf, readAsked } from '@natrium/bus';
import type { JobTakeover, SignedRequest } from '@natrium/flow';
import type { records } from '@natrium/wire';
import type { JobCache } from './job-cache.js';
import type { Minions } from './minions.js';

const AT_ONCE = 8;
const INDEXED_MS = 5000;

export interface AdoptionPorts {
  readonly cache: JobCache;
  readonly minions: Minions;
  readonly takeover: JobTakeover;
  now(): number;
  pause(ms: number): Promise<void>;
  /** How many jobs of which instance. */
  onAdopted(instance: string, jobs: number): void;
}

export class Adoption {
  constructor(private readonly ports: AdoptionPorts) {}

  /** @param isGone It will never come back: what it has written down of itself is removed. */
  async adopt(instance: string, isGone: boolean): Promise<void> {
    const { cache, takeover } = this.ports;
    const left = await cache.leftBy(instance);
    const indexed = Promise.all(left.map(({ record, place }) => cache.keepIndex(record, place)));
    const asks = left.flatMap(({ record, place }) => this.#askOf(record, place));
    for (let from = 0; from < asks.length; from += AT_ONCE) {
      await Promise.all(asks.slice(from, from + AT_ONCE).map((ask) => takeover.take(ask)));
    }
    // A broker that takes no writes now holds nobody up: what is not forgotten is looked at again.
    const isIndexed = indexed.then(() => true);
    if (isGone && (await Promise.race([isIndexed, this.ports.pause(INDEXED_MS).then(() => false)])))
      await cache.forget(instance);
    if (asks.length > 0) this.ports.onAdopted(instance, asks.length);
  }

  /** The caller's own signed words, as long as their time is not over. */
  #askOf(record: records.JobRecord, place: string): readonly SignedRequest[] {
    const request = readAsked(record.request);
    const callerKey = this.ports.minions.keyOf(record.caller);
    if (request === undefined || callerKey === undefined) return [];
    if (record.started + request.timeout * 1000 < this.ports.now()) return [];
    const { request: bytes, signature } = record;
    const digest = digestOf(bytes);
    const ids = [...record.members.map(({ id }) => id), ...record.missing];
    const batch = place === digest ? {} : { place, batch: ids };
    return [{ bytes, signature, credential: null, grantRun: null, callerKey, request, digest, ...batch }];
  }
}
