/**
 * Whether this process stood still (a stopped container, a suspended host): files that changed meanwhile are told by events that may
 * be read behind the requests that wait in its sockets.
 */
const TICK_MS = 500;
/** A busy process is late as well; then the files are read once too often. */
const LONG_MS = 1500;

export class Standstill {
  readonly #timer: NodeJS.Timeout;
  #tickedAt: number;
  #stood = false;

  /** @param now Milliseconds that only rise. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#tickedAt = now();
    this.#timer = setInterval(() => {
      this.#look();
    }, TICK_MS).unref();
  }

  /** True once after each, also before the first tick after it: what waits in a socket is read before timers. */
  isOver(): boolean {
    this.#look();
    const stood = this.#stood;
    this.#stood = false;
    return stood;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = this.now();
    this.#stood ||= now - this.#tickedAt > LONG_MS;
    this.#tickedAt = now;
  }
}

/** While a service starts nothing waits for its decision. @returns As `isOver`. */
export function standstillOf(
  onListening: (begin: () => void) => void,
  onStop: (stop: () => Promise<void>) => void,
): () => boolean {
  let standstill: Standstill | undefined;
  onListening(() => {
    standstill = new Standstill();
  });
  onStop(() => {
    standstill?.stop();
    return Promise.resolve();
  });
  return () => standstill?.isOver() === true;
}
