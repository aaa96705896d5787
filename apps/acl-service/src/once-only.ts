/** Requests that were carried out here, until their own end: the same bytes are not carried out twice. */
export class OnceOnly {
  readonly #until = new Map<string, number>();

  has(digest: string, now: number): boolean {
    for (const [old, until] of this.#until) if (until < now) this.#until.delete(old);
    return this.#until.has(digest);
  }

  note(digest: string, until: number): void {
    this.#until.set(digest, until);
  }
}
