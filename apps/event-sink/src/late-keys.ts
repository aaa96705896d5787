/** Storage keys that are not here: one that is newer may still be handed out, and what it opens is not to be passed over meanwhile. */

/** How long it is waited for. */
export const LATE_MS = 300_000;

export class LateKeys {
  /** By its id, when it was missed first. */
  readonly #missed = new Map<string, number>();

  /** @param now Milliseconds of a clock that only goes forward. */
  constructor(private readonly now: () => number) {}

  isMissed(id: string): boolean {
    return this.#missed.has(id);
  }

  /** Whether it has not been missed for too long. */
  mayCome(id: string): boolean {
    const now = this.now();
    const since = this.#missed.get(id) ?? now;
    this.#missed.set(id, since);
    return now - since < LATE_MS;
  }

  /** Another replica went on meanwhile: what is missed again is waited for anew. */
  forget(): void {
    this.#missed.clear();
  }
}
