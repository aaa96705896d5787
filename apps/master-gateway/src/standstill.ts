/** Whether this process stood still lately (a stopped container, a busy host): others may have taken up what it was to do meanwhile. */
const TICK_MS = 1000;
/** Half of what others wait before they do. */
const LONG_MS = 5000;
/** What came meanwhile is read by then. */
const AFTER_MS = 10_000;

export class Standstill {
  readonly #timer: NodeJS.Timeout;
  #tickedAt: number;
  #until = -Infinity;

  /** @param now Milliseconds that only rise. */
  constructor(private readonly now: () => number) {
    this.#tickedAt = now();
    this.#timer = setInterval(() => {
      if (now() - this.#tickedAt > LONG_MS) this.#until = now() + AFTER_MS;
      this.#tickedAt = now();
    }, TICK_MS).unref();
  }

  /** Also before the first tick after it: what waits in a socket is read before timers. */
  isRecent(): boolean {
    const now = this.now();
    return now - this.#tickedAt > LONG_MS || now < this.#until;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
