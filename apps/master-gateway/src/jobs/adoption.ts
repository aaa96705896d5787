/**
 * Takes care of the jobs that a gateway has left, for callers who do not wait: one who waits finds another gateway by itself.
 *
 * Jobs whose time is not over are gone on with here, several at a time. Of a job whose time is over and whose grant was never written it
 * is found out what was granted, while the acl-service still grants it: a minion may have run it, and its return needs a job to belong to.
 * Meanwhile, whatever the gateway had not said of its jobs is said on the event bus.
 */
import { digestOf, readAsked } from '@natrium/bus';
import { canBeAskedAgain, type JobTakeover, type SignedRequest } from '@natrium/flow';
import { AtOnce } from '../at-once.js';
import type { JobCache, LeftJob } from './job-cache.js';
import type { PlacedJob } from './job-records.js';

const AT_ONCE = 8;

export interface AdoptionPorts {
  readonly cache: Pick<JobCache, 'leftBy' | 'movedFrom' | 'forget'>;
  readonly takeover: Pick<JobTakeover, 'take' | 'settle'>;
  /** Says on the event bus what the instance has not said of these jobs, which were its own. May be called again for the same jobs. */
  tell(instance: string, jobs: readonly PlacedJob[]): Promise<void>;
  /** This gateway among the instances. */
  readonly own: string;
  readonly now: () => number;
  /** How many jobs of which instance. */
  onAdopted(instance: string, jobs: number): void;
}

export class Adoption {
  /** By instance, jobs that could not be taken care of. They may be written down as ours by now, so `leftBy` would not find them again. */
  readonly #failed = new Map<string, readonly LeftJob[]>();
  /** By instance, jobs whose events are not told yet. They may be written down as ours by now, too. */
  readonly #untold = new Map<string, readonly PlacedJob[]>();

  constructor(private readonly ports: AdoptionPorts) {}

  /**
   * @param isGone It will never come back: what it has written down of itself is removed.
   * @throws {Error} When one of them could not be taken care of; the others were.
   */
  async adopt(instance: string, isGone: boolean): Promise<void> {
    const { cache, now } = this.ports;
    const open: Left[] = [];
    const unknown: Left[] = [];
    const left = await cache.leftBy(instance);
    const untold = this.#untoldOf(instance, left); // before more of them are ours
    for (const job of withEarlier(this.#failed.get(instance), left)) {
      const ask = askOf(job);
      if (ask === undefined) continue;
      if (job.asked.started + ask.request.timeout * 1000 >= now()) open.push({ job, ask });
      else if (!job.isGranted) unknown.push({ job, ask });
    }
    this.#untold.set(instance, untold);
    const goingOn = this.#goOn(instance, open, unknown);
    // It does not wait for those who decide: they may be away for long, and this gateway may be gone before they are back.
    await this.ports.tell(instance, untold).finally(() => goingOn);
    const failures = await goingOn;
    // Of these nothing could be said before it was known what was granted.
    const granted = [...open, ...unknown].flatMap(({ job }) => (job.isGranted ? [] : [job]));
    if (granted.length > 0) await this.ports.tell(instance, granted);
    this.#untold.delete(instance);
    for (const { cause } of failures) throw cause;
    if (isGone) await cache.forget(instance);
    if (open.length + unknown.length > 0) this.ports.onAdopted(instance, open.length + unknown.length);
  }

  /** Rejects never. @returns The jobs for which it failed, and with what. */
  async #goOn(instance: string, open: readonly Left[], unknown: readonly Left[]): Promise<readonly Failure[]> {
    const { takeover } = this.ports;
    const failures = [
      ...(await aFewAtOnce(open, (ask) => takeover.take(ask, instance))),
      ...(await aFewAtOnce(unknown, (ask) => takeover.settle(ask))),
    ];
    const failed = failures.map(({ job }) => job);
    if (failed.length > 0) this.#failed.set(instance, failed);
    else this.#failed.delete(instance);
    return failures;
  }

  /** With jobs that are ours already: their callers asked for them here before their gateway was known to be gone. */
  #untoldOf(instance: string, left: readonly PlacedJob[]): readonly PlacedJob[] {
    return withEarlier(withEarlier(this.#untold.get(instance), this.ports.cache.movedFrom(instance)), left);
  }

  /**
   * The instance was not gone, and goes on with its own jobs. This gateway goes on with those that it has made its own meanwhile.
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

interface Failure {
  readonly job: LeftJob;
  readonly cause: unknown;
}

/** Jobs that were left over from an earlier call, and those that the instance has now; each once. */
function withEarlier<J extends PlacedJob>(earlier: readonly J[] = [], left: readonly J[]): readonly J[] {
  const places = new Set(left.map(({ place }) => place));
  return [...earlier.filter(({ place }) => !places.has(place)), ...left];
}

/** @returns The jobs for which it failed, and with what. */
async function aFewAtOnce(
  left: readonly Left[],
  work: (ask: SignedRequest) => Promise<unknown>,
): Promise<readonly Failure[]> {
  const line = new AtOnce(AT_ONCE);
  const ends = await Promise.allSettled(left.map(({ ask }) => line.run(() => work(ask))));
  return left.flatMap(({ job }, index) => {
    const end = ends[index];
    return end?.status === 'rejected' ? [{ job, cause: end.reason as unknown }] : [];
  });
}

/** The caller's own signed words; who has not signed cannot be asked for again. */
function askOf({ asked, place }: LeftJob): SignedRequest | undefined {
  const { request: bytes, signature, callerKey, batch } = asked;
  const request = readAsked(bytes);
  if (request === undefined || !canBeAskedAgain(asked)) return undefined;
  const ask = { bytes, signature, credential: null, grantRun: null, callerKey, request, digest: digestOf(bytes) };
  return batch === null ? ask : { ...ask, place, batch };
}
