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

/** The returns of many minions of which no gateway has said that they are stored. */
export class Unstored {
  #count = 0;
  readonly #told: (() => void)[] = [];

  /** Resolves when there are none. */
  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#told.push(resolve);
    });
  }

  change(by: 1 | -1): void {
    this.#count += by;
    if (this.#count === 0) for (const tell of this.#told.splice(0)) tell();
  }
}

interface Waiting {
  readonly ret: MinionReturn;
  /** When it came, by a clock that does not jump. */
  readonly cameMs: number;
}

export class VolatileSpool {
  readonly #waiting = new Map<string, Waiting>();

  constructor(private readonly unstored: Unstored) {}

  put(ret: MinionReturn): void {
    const before = this.#waiting.get(ret.digest);
    if (before === undefined) this.unstored.change(1);
    this.#waiting.set(ret.digest, { ret, cameMs: before?.cameMs ?? performance.now() });
  }

  get(digest: string): MinionReturn | undefined {
    return this.#waiting.get(digest)?.ret;
  }

  beginSending(digest: string): MinionReturn | undefined {
    return this.get(digest);
  }

  endSending(): void {
    // Nothing is dropped here: the swarm is asked for what it was sent, and ends.
  }

  drop(digest: string): void {
    if (this.#waiting.delete(digest)) this.unstored.change(-1);
  }

  cameWithin(ms: number): ReadonlySet<string> {
    const after = performance.now() - ms;
    return new Set([...this.#waiting.values()].filter(({ cameMs }) => cameMs > after).map(({ ret }) => ret.jid));
  }

  all(): readonly MinionReturn[] {
    return Array.from(this.#waiting.values(), ({ ret }) => ret);
  }
}
