/**
 * What a simulated minion remembers: the run-once record and the spool by the same rules as an agent's, in memory only. It has a
 * fresh identity each time, so nothing can have run under it before.
 */
import type { MinionReturn } from '@natrium/flow';
import { type Admission, RunOnce } from '@natrium/jobs';

const SWEEP_MS = 10_000;

export class VolatileRecord {
  readonly #once = new RunOnce();
  #sweepAt = 0;

  constructor(private readonly now: () => number) {}

  admit(digest: string, issued: number, until: number): Admission {
    return this.#once.admit(digest, issued, until);
  }

  start(digest: string, until: number): boolean {
    const now = this.now();
    if (now >= this.#sweepAt) {
      this.#sweepAt = now + SWEEP_MS;
      this.#once.expire(now);
    }
    this.#once.started(digest, until);
    return true;
  }

  ran(digest: string): void {
    this.#once.finished(digest);
  }

  finish(digest: string): void {
    this.#once.finished(digest);
  }
}

export class VolatileSpool {
  readonly #waiting = new Map<string, MinionReturn>();

  put(ret: MinionReturn): void {
    this.#waiting.set(ret.digest, ret);
  }

  get(digest: string): MinionReturn | undefined {
    return this.#waiting.get(digest);
  }

  drop(digest: string): void {
    this.#waiting.delete(digest);
  }

  all(): readonly MinionReturn[] {
    return [...this.#waiting.values()];
  }
}
