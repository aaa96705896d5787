/**
 * The cluster's time as this process knows it: the own clock while it is within `skewMs` of the acl-service's signed
 * time, the signed time's offset beyond that. Nobody but the acl-service can move it.
 *
 * Spec: spec/envelope.md#time.
 */
export class Clock {
  #offsetMs = 0;
  #floorMs = 0;

  constructor(
    readonly skewMs: number,
    private readonly system: () => number = Date.now,
  ) {}

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
    return this.#offsetMs;
  }

  /** Own clock without any offset, for measuring a round trip. */
  own(): number {
    return this.system();
  }

  /** A minion's time never runs below the latest signed `issued` that it verified. */
  raiseFloor(issuedMs: number): void {
    this.#floorMs = Math.max(this.#floorMs, issuedMs);
  }

  get floorMs(): number {
    return this.#floorMs;
  }
}
