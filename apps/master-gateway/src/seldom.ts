/** Tells of something at once, and of its repetitions only every few seconds with their count: thousands may come in one moment. */
import type { Logger } from 'pino';

const EVERY_MS = 10_000;

export function warningSeldom(log: Pick<Logger, 'warn'>, message: string): (what: string) => void {
  const seldom = new Seldom<string>((what, times) => {
    log.warn({ what, times }, message);
  });
  return (what) => {
    seldom.note(what);
  };
}

export class Seldom<K> {
  /** How often each has come since it was told last. */
  readonly #since = new Map<K, number>();

  /** @param after Calls once, in so many milliseconds. */
  constructor(
    private readonly tell: (what: K, times: number) => void,
    private readonly after: (ms: number, run: () => void) => unknown = (ms, run) => setTimeout(run, ms).unref(),
  ) {}

  note(what: K): void {
    const since = this.#since.get(what);
    if (since !== undefined) this.#since.set(what, since + 1);
    else this.#say(what, 1);
  }

  #say(what: K, times: number): void {
    this.tell(what, times);
    this.#since.set(what, 0);
    this.after(EVERY_MS, () => {
      const since = this.#since.get(what) ?? 0;
      if (since > 0) this.#say(what, since);
      else this.#since.delete(what);
    });
  }
}
