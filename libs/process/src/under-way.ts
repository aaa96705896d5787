/** Work that a process finishes before it ends. */

/** Milliseconds for what is under way when a process is told to stop. systemd and Docker kill it after 30 s (TimeoutStopSec, stop_grace_period). */
export const STOP_MS = 20_000;

/** How many pieces of work are under way. */
export class UnderWay {
  #size = 0;
  readonly #whenNone: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  /** Does it; until its end, whatever that is, it is under way. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#size += 1;
    try {
      return await work();
    } finally {
      this.#size -= 1;
      if (this.#size === 0) for (const resolve of this.#whenNone.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is under way, at once where nothing is. */
  settled(): Promise<void> {
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenNone.push(resolve));
  }
}
