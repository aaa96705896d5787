/**
 * What becomes of the jobs of a gateway that is gone: those whose time is not over are gone on with here, several at a time. Of those
 * whose time is over and of which nobody knows what was granted that is found out, as long as anybody grants it: a minion may have run them.
 * Then what it had not said of all of them is said on the event bus.
 *
 * A caller who waits has found another gateway by itself; this is for jobs that nobody waits for.
 */
import { digestOf, readAsked } from '@natrium/bus';
import { canBeAskedAgain, type JobTakeover, type SignedRequest } from '@natrium/flow';
import type { JobCache, LeftJob } from './job-cache.js';
import type { PlacedJob } from './job-records.js';

const AT_ONCE = 8;

export interface AdoptionPorts {
  readonly cache: Pick<JobCache, 'leftBy' | 'movedFrom' | 'forget'>;
  readonly takeover: Pick<JobTakeover, 'take' | 'settle'>;
  /** Says on the bus what the instance has not said of jobs that were its own; may be called again for the same ones. */
  tell(instance: string, jobs: readonly PlacedJob[]): Promise<void>;
  /** This gateway among the instances. */
  readonly own: string;
  readonly now: () => number;
  /** How many jobs of which instance. */
  onAdopted(instance: string, jobs: number): void;
}

export class Adoption {
  /** Of each instance, what could not be taken care of: it may be written down as ours by now, where nobody would look for it. */
  readonly #failed = new Map<string, readonly LeftJob[]>();
  /** Of each instance, what could not be told of: it may be written down as ours by now. */
  readonly #untold = new Map<string, readonly PlacedJob[]>();

  constructor(private readonly ports: AdoptionPorts) {}

  /**
   * @param isGone It will never come back: what it has written down of itself is removed.
   * @throws {Error} When one of them could not be taken care of; the others were.
   */
  async adopt(instance: string, isGone: boolean): Promise<void> {
    const { cache, takeover, now } = this.ports;
    const [open, unknown]: [Left[], Left[]] = [[], []];
    const left = await cache.leftBy(instance);
    const untold = this.#untoldOf(instance, left); // before more of them are ours
    for (const job of withEarlier(this.#failed.get(instance), left)) {
      const ask = askOf(job);
      if (ask === undefined) continue;
      if (job.asked.started + ask.request.timeout * 1000 >= now()) open.push({ job, ask });
      else if (!job.isGranted) unknown.push({ job, ask });
    }
    const failures = [
      ...(await aFewAtOnce(open, (ask) => takeover.take(ask, instance))),
      ...(await aFewAtOnce(unknown, (ask) => takeover.settle(ask))),
    ];
    if (failures.length > 0)
      this.#failed.set(
        instance,
        failures.map(({ job }) => job),
      );
    else this.#failed.delete(instance);
    await this.#tell(instance, untold);
    for (const { cause } of failures) throw cause;
    if (isGone) await cache.forget(instance);
    if (open.length + unknown.length > 0) this.ports.onAdopted(instance, open.length + unknown.length);
  }

  /** Some are ours already: their callers have asked for them here before their gateway was known to be gone. */
  #untoldOf(instance: string, left: readonly PlacedJob[]): readonly PlacedJob[] {
    return withEarlier(withEarlier(this.#untold.get(instance), this.ports.cache.movedFrom(instance)), left);
  }

  async #tell(instance: string, untold: readonly PlacedJob[]): Promise<void> {
    this.#untold.set(instance, untold);
    await this.ports.tell(instance, untold);
    this.#untold.delete(instance);
  }

  /**
   * It was not gone, and goes on with what is its own. What is written down as this gateway's by now is nobody else's.
   *
   * @throws {Error} When one of those could not be taken care of.
   */
  async back(instance: string): Promise<void> {
    this.#untold.delete(instance); // it says so itself
    const failed = this.#failed.get(instance);
    if (failed === undefined) return;
    const ours = new Set((await this.ports.cache.leftBy(this.ports.own)).map(({ place }) => place));
    const left = failed
      .filter(({ place }) => ours.has(place))
      .flatMap((job) => {
        const ask = askOf(job);
        return ask === undefined ? [] : [{ job, ask }];
      });
    const failures = await aFewAtOnce(left, (ask) => this.ports.takeover.take(ask));
    for (const { cause } of failures) throw cause;
    this.#failed.delete(instance);
  }
}

interface Left {
  readonly job: LeftJob;
  readonly ask: SignedRequest;
}

/** What was left to do of an instance's jobs, and those that it has now; each once. */
function withEarlier<J extends PlacedJob>(earlier: readonly J[] = [], left: readonly J[]): readonly J[] {
  const places = new Set(left.map(({ place }) => place));
  return [...earlier.filter(({ place }) => !places.has(place)), ...left];
}

/** @returns What failed, and with what. */
async function aFewAtOnce(left: readonly Left[], work: (ask: SignedRequest) => Promise<unknown>) {
  const failures: { readonly job: LeftJob; readonly cause: unknown }[] = [];
  for (let from = 0; from < left.length; from += AT_ONCE) {
    const some = left.slice(from, from + AT_ONCE);
    const ends = await Promise.allSettled(some.map(({ ask }) => work(ask)));
    for (const [index, { job }] of some.entries()) {
      const end = ends[index];
      if (end?.status === 'rejected') failures.push({ job, cause: end.reason });
    }
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
