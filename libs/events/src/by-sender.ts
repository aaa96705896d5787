/** Something known of each sender, of those only that were heard of last. */
const MAX_SENDERS = 20_000;

export class BySender<T> {
  readonly #known = new Map<string, T>();

  get(sender: string): T | undefined {
    return this.#known.get(sender);
  }

  set(sender: string, known: T): void {
    this.#known.delete(sender); // so that it is the latest
    if (this.#known.size >= MAX_SENDERS) this.#known.delete(this.#known.keys().next().value ?? '');
    this.#known.set(sender, known);
  }

  delete(sender: string): void {
    this.#known.delete(sender);
  }
}
