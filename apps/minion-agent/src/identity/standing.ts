/**
 * Whether this minion is accepted now. Told that it may not be, it asks the acl-service, takes no job until it is accepted
 * again, and asks on with the pauses of joining.
 *
 * Spec: spec/envelope.md#join.
 */
import { type AboutHost, standingOf } from './coming-in.js';
import { pause } from '@natrium/process';
import { joinCluster, type Joiner } from './joining.js';
import type { LiveLink } from '../link/live-link.js';

export class Standing {
  #accepted = true;
  #pause = new AbortController();
  #asking: Promise<void> | undefined;

  constructor(
    private readonly joiner: Joiner,
    /** It was let in again: what has waited may go out. */
    private readonly onAcceptedAgain: () => void,
  ) {}

  get accepted(): boolean {
    return this.#accepted;
  }

  /** Asks; a pause between two questions ends. Resolves when it is accepted, or the agent stops. */
  check(): Promise<void> {
    this.#pause.abort();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      await joinCluster(this.joiner, {
        onRefused: () => {
          this.#accepted = false;
        },
        pause: (ms) => {
          this.#pause = new AbortController();
          return pause(ms, AbortSignal.any([this.#pause.signal, this.joiner.signal]));
        },
      });
    } catch (error) {
      if (this.joiner.signal.aborted) return;
      throw error;
    }
    if (this.#accepted) return;
    this.#accepted = true;
    this.joiner.log.info('accepted again');
    this.onAcceptedAgain();
  }
}

/** Asks as a newcomer would: to who is accepted already, nothing happens. */
export async function loseWhenUnknown(about: AboutHost, link: LiveLink): Promise<void> {
  try {
    const state = await standingOf({ ...about, identity: link.identity });
    if (state !== undefined && state !== 'accepted') link.lose(`the key of this minion is ${state}`);
  } catch (error) {
    about.log.warn({ err: error }, 'it could not be asked whether this minion is still known');
  }
}
