/**
 * Writes many small things as few: what comes within `windowMs`, or while one write is under way, goes into the next one.
 * For what nobody waits for; each write costs the broker an fsync.
 */
export class GroupCommit<T> {
  readonly #waiting: { readonly item: T; readonly done: () => void; readonly failed: (cause: unknown) => void }[] = [];
  #writing = false;

  /** @param write Resolves when the group is durable. */
  constructor(
    private readonly write: (group: readonly T[]) => Promise<void>,
    private readonly windowMs: number,
    private readonly limit = 1000,
  ) {}

  /** Resolves when `item` is durable. */
  add(item: T): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      if (this.#writing) return;
      this.#writing = true;
      setTimeout(() => void this.#drain(), this.windowMs);
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.limit);
      try {
        await this.write(group.map(({ item }) => item));
        for (const { done } of group) done();
      } catch (cause) {
        for (const { failed } of group) failed(cause);
      }
    }
    this.#writing = false;
  }
}
