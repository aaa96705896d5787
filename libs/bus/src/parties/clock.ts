/**
 * The cluster's time as this process knows it: the own clock while it is within `skewMs` of the acl-service's signed
 * time, the signed time's offset beyond that. Nobody but the acl-service can move it. An offset is good for the own clock as it was
 * then: whoever took one asks again once that clock was set.
 *
 * Spec: spec/envelope.md#time.
 */

/** Smaller differences are nothing: clocks are corrected a little all the time, and two clocks are not read at the same moment. */
const SET_MS = 1000;

export class Clock {
  #offsetMs = 0;
  #floorMs = 0;
  /** How far the own clock was ahead of the elapsed time when the offset was taken. Only a clock that is set, or sleep, changes that. */
  #aheadMs: number;

  constructor(
    readonly skewMs: number,
    private readonly system: () => number = Date.now,
    private readonly steady: () => number = () => performance.now(),
  ) {
    this.#aheadMs = this.#ahead();
  }

  /** Milliseconds since 1970; never below the latest signed time that was verified. */
  now(): number {
    return Math.max(this.system() + this.#offsetMs, this.#floorMs);
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /**
   * Takes a signed time over, which was asked for at `askedAt` and heard at `heardAt` (own clock, ms).
   *
   * @returns The offset in force in milliseconds, 0 while the own clock is good enough.
   */
  adjust(signedMs: number, askedAt: number, heardAt: number): number {
    const offset = signedMs - (askedAt + heardAt) / 2;
    this.#offsetMs = Math.abs(offset) <= this.skewMs ? 0 : Math.round(offset);
    this.#aheadMs = this.#ahead();
    return this.#offsetMs;
  }

  /** Whether the own clock was set, by more than a second, or the host slept, since a signed time was taken over. */
  wasSet(): boolean {
    return Math.abs(this.#ahead() - this.#aheadMs) > SET_MS;
  }

  #ahead(): number {
    return this.system() - this.steady();
  }

  /** Own clock without any offset, for measuring a round trip. */
  own(): number {
    return this.system();
  }

  /** Milliseconds that have passed, from any beginning: no clock that is set moves it, and it stands still while the host sleeps. */
  elapsed(): number {
    return this.steady();
  }

  /** How far the time is ahead of the elapsed time: it falls when this clock is set back, or the acl-service's was and is followed. */
  get aheadOfElapsed(): number {
    return this.now() - this.steady();
  }

  /** A minion's time never runs below the latest signed `issued` that it verified. */
  raiseFloor(issuedMs: number): void {
    this.#floorMs = Math.max(this.#floorMs, issuedMs);
  }

  get floorMs(): number {
    return this.#floorMs;
  }
}
