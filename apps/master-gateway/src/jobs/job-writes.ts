/** Writes of jobs that nobody has acknowledged yet. */

export interface JobWrite {
  readonly place: string;
  /** It will have at least this revision. */
  readonly since: number;
  /**
   * A take-over here goes on with what it has written: the caller has asked again meanwhile. What is found at the place is that one's
   * from then on, though it has the same instance and the same jid.
   */
  isTaken: boolean;
}

export class JobWrites {
  readonly #underWay = new Set<JobWrite>();

  async during<T>(place: string, since: number, write: (own: JobWrite) => Promise<T>): Promise<T> {
    const own = { place, since, isTaken: false };
    this.#underWay.add(own);
    try {
      return await write(own);
    } finally {
      this.#underWay.delete(own);
    }
  }

  take(place: string): void {
    for (const write of this.#underWay) if (write.place === place) write.isTaken = true;
  }

  /** The least revision that one of them may have; Infinity where there are none. */
  get since(): number {
    return Math.min(Infinity, ...[...this.#underWay].map(({ since }) => since));
  }
}
