/**
 * Places that are shared fairly: nobody takes one who has as many as are left. Who comes alone gets half of them, the next one half
 * of what is left, and whoever comes last still finds one while there are any.
 */
export class Shares {
  readonly #taken = new Map<string, number>();
  #left: number;

  constructor(places: number) {
    this.#left = places;
  }

  /** Does it; until its end it takes a place. @returns undefined when there is none for its owner: nothing was done. */
  async during<T>(owner: string, work: () => Promise<T>): Promise<T | undefined> {
    const own = this.#taken.get(owner) ?? 0;
    if (own >= this.#left) return undefined;
    this.#add(owner, 1);
    try {
      return await work();
    } finally {
      this.#add(owner, -1);
    }
  }

  #add(owner: string, places: number): void {
    this.#left -= places;
    const own = (this.#taken.get(owner) ?? 0) + places;
    if (own === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, own);
  }
}
