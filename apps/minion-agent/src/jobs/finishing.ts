/**
 * What the agent has begun for others, jobs and calls of this host, and how it is finished when the agent is told to stop: jobs
 * begin no more then, and what runs has 20 s. What is given up after that is told as interrupted after the next start.
 */
import { STOP_MS, UnderWay, within } from '@natrium/process';
import type { Logger } from 'pino';

export class Finishing {
  readonly #underWay = new UnderWay();
  #isStopping = false;

  constructor(private readonly log: Pick<Logger, 'warn'>) {}

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Does it; the agent does not end meanwhile, unless it takes too long. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#underWay.during(work);
  }

  /** Resolves when nothing is under way, after 20 s at most, or when `atOnce` is aborted. */
  async finish(atOnce: AbortSignal): Promise<void> {
    this.#isStopping = true;
    const { size } = this.#underWay;
    if (size > 0) this.log.warn({ underWay: size }, 'told to stop: jobs begin no more, and what runs is waited for');
    await within(STOP_MS, this.#underWay.settled(), atOnce);
    if (this.#underWay.size > 0)
      this.log.warn({ underWay: this.#underWay.size }, 'it ends all the same: what runs is interrupted');
  }
}
