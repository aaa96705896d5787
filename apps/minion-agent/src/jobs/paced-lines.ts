/**
 * Things that are tried until one try is the last, a few at a time: each waits longer after each of its tries, with a chance of its own so
 * that those of many hosts do not come together again. Those that were tried often never keep the others waiting.
 */
import { InFlight } from '@natrium/model';

/** Time and chance. */
export interface Pace {
  /** Milliseconds of a clock that only rises. */
  now(): number;
  /** @returns Cancels. */
  after(ms: number, run: () => void): () => void;
  /** 0 to 1. */
  random(): number;
}

export const afterNow: Pace = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  random: Math.random,
};

/** Before the next try, by how many there were; then on as at the last. A trouble that ends within a minute is soon forgotten. */
const AGAIN_MS = [5000, 5000, 5000, 10_000, 10_000, 10_000, 20_000, 40_000, 80_000];
/** So much longer, at most, and each time another part of it. */
const SPREAD = 0.5;
/**
 * So many are under way at once, and the others wait in line: gateways and a broker that are at their limit would never come to rest
 * under all that a long trouble has left. In good times sixteen are some thousand a second.
 */
const AT_ONCE = 16;
/** Of these, so many that were tried this often. */
const OFTEN = 5;
const OFTEN_AT_ONCE = 4;

interface Waiting<T> {
  readonly item: T;
  /** Not to be tried again before. */
  readonly at: number;
}

export class PacedLines<T> {
  /** By name, in the order in which they are tried; a line of its own for each number of tries, up to the last. */
  readonly #lines = AGAIN_MS.map(() => new InFlight<string, Waiting<T>>());
  #underWay = 0;
  #oftenUnderWay = 0;
  #cancel: () => void = () => undefined;
  #closed = false;

  /** @param attempt Never throws; it is over when its promise resolves. */
  constructor(
    private readonly pace: Pace,
    private readonly attempt: (item: T, tries: number) => Promise<void>,
  ) {}

  /** As soon as its turn comes. */
  now(name: string, item: T): void {
    this.forget(name);
    this.#lines[0]?.set(name, { item, at: this.pace.now() });
    this.#next();
  }

  /** @param tries How many times it was tried in vain, where somebody could have heard it. */
  later(name: string, item: T, tries: number): void {
    if (this.#closed) return;
    this.forget(name);
    const line = Math.min(tries, AGAIN_MS.length - 1);
    const ms = (AGAIN_MS[line] ?? 0) * (1 + SPREAD * this.pace.random());
    this.#lines[line]?.set(name, { item, at: this.pace.now() + ms });
    this.#next();
  }

  /** All that wait are due, each in its own line still: those that were tried often keep nobody waiting now either. */
  allDue(): void {
    const at = this.pace.now();
    for (const line of this.#lines) for (const [name, { item }] of line) line.set(name, { item, at });
    this.#next();
  }

  forget(name: string): void {
    for (const line of this.#lines) line.delete(name);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  #next(): void {
    this.#cancel();
    if (this.#closed) return;
    let soonest = Number.POSITIVE_INFINITY;
    for (const [tries, line] of this.#lines.entries()) soonest = Math.min(soonest, this.#tryFrom(line, tries));
    if (soonest === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.pace.after(soonest, () => {
      this.#next();
    });
  }

  /** @returns In how many milliseconds one of this line is due: never as long as another has to end first. */
  #tryFrom(line: InFlight<string, Waiting<T>>, tries: number): number {
    for (const [name, { item, at }] of line) {
      if (!this.#hasRoom(tries)) break;
      const ms = at - this.pace.now();
      if (ms > 0) return ms;
      line.delete(name);
      void this.#try(item, tries);
    }
    return Number.POSITIVE_INFINITY;
  }

  #hasRoom(tries: number): boolean {
    return this.#underWay < AT_ONCE && (tries < OFTEN || this.#oftenUnderWay < OFTEN_AT_ONCE);
  }

  async #try(item: T, tries: number): Promise<void> {
    const often = tries < OFTEN ? 0 : 1;
    this.#underWay += 1;
    this.#oftenUnderWay += often;
    await this.attempt(item, tries);
    this.#underWay -= 1;
    this.#oftenUnderWay -= often;
    this.#next();
  }
}
