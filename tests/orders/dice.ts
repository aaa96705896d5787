/** What is drawn from a seed. */
import { seeded } from '@natrium/testing';

const FINE = 0x1_0000_0000;

export class Dice {
  readonly #below: (below: number) => number;

  constructor(seed: number) {
    this.#below = seeded(seed);
  }

  /** Both ends count. */
  from(least: number, most: number): number {
    return least + this.#below(most - least + 1);
  }

  /** @param part Of all times, from 0 to 1. */
  chance(part: number): boolean {
    return this.#below(FINE) / FINE < part;
  }

  /** @throws {RangeError} When there is none. */
  oneOf<T>(list: readonly T[]): T {
    const found = list.slice(this.#below(list.length))[0];
    if (found === undefined) throw new RangeError('there is nothing to draw from');
    return found;
  }

  /** undefined when there is none. */
  anyOf<T>(list: readonly T[]): T | undefined {
    return list[this.#below(list.length)];
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#below(256));
  }
}
