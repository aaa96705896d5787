/**
 * How much is done to find out whether one minion is meant: its data is its own to choose, and may be large. What its terms look at counts by
 * the character, as often as a pattern has places where that could stand. Beyond that nothing is known of it.
 */

/** Half a second of work at most. Data as minions have it, in a target of a hundred terms, takes less than a tenth. */
const MAX_WORK = 4_000_000;

export class Room {
  #left = MAX_WORK;

  get isSpent(): boolean {
    return this.#left < 0;
  }

  get taken(): number {
    return MAX_WORK - this.#left;
  }

  /** @returns Whether there was so much left. */
  take(work: number): boolean {
    this.#left -= work;
    return this.#left >= 0;
  }
}
