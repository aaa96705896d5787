/**
 * What becomes of the jobs of a gateway that is gone: those whose time is not over are gone on with here, several at a time. Of those
 * whose time is over and of which nobody knows what was granted that is found out, as long as anybody grants it: a minion may have run them.
 *
 * A caller who waits has found another gateway by itself; this is for jobs that nobody waits for.
 */
import { digestOf, readAsked } from '@natrium/bus';
import { canBeAskedAgain, type JobTakeover, type SignedRequest } from '@natrium/flow';
import type { JobCache, LeftJob } from './job-cache.js';

const AT_ONCE = 8;

export interface AdoptionPorts {
  readonly cache: Pick<JobCache, 'leftBy' | 'forget'>;
  readonly takeover: Pick<JobTakeover, 'take' | 'settle'>;
  readonly now: () => number;
  /** How many jobs of which instance. */
  onAdopted(instance: string, jobs: number): void;
}

export class Adoption {
  constructor(private readonly ports: AdoptionPorts) {}

  /**
   * @param isGone It will never come back: what it has written down of itself is removed.
   * @throws {Error} When one of them could not be taken care of; the others were.
   */
  async adopt(instance: string, isGone: boolean): Promise<void> {
    const { cache, takeover, now } = this.ports;
    const [open, unknown]: [SignedRequest[], SignedRequest[]] = [[], []];
    for (const job of await cache.leftBy(instance)) {
      const ask = askOf(job);
      if (ask === undefined) continue;
      if (job.asked.started + ask.request.timeout * 1000 >= now()) open.push(ask);
      else if (!job.isGranted) unknown.push(ask);
    }
    const failures = [
      ...(await aFewAtOnce(open, (ask) => takeover.take(ask))),
      ...(await aFewAtOnce(unknown, (ask) => takeover.settle(ask))),
    ];
    if (failures.length > 0) throw failures[0];
    if (isGone) await cache.forget(instance);
    if (open.length + unknown.length > 0) this.ports.onAdopted(instance, open.length + unknown.length);
  }
}

/** @returns What failed. */
async function aFewAtOnce(asks: readonly SignedRequest[], work: (ask: SignedRequest) => Promise<unknown>) {
  const failures: unknown[] = [];
  for (let from = 0; from < asks.length; from += AT_ONCE) {
    const some = await Promise.allSettled(asks.slice(from, from + AT_ONCE).map(work));
    failures.push(...some.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])));
  }
  return failures;
}

/** The caller's own signed words; who has not signed cannot be asked for again. */
function askOf({ asked, place }: LeftJob): SignedRequest | undefined {
  const { request: bytes, signature, callerKey, batch } = asked;
  const request = readAsked(bytes);
  if (request === undefined || !canBeAskedAgain(asked)) return undefined;
  const ask = { bytes, signature, credential: null, grantRun: null, callerKey, request, digest: digestOf(bytes) };
  return batch === null ? ask : { ...ask, place, batch };
}
