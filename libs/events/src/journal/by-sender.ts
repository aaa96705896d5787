/** A map by sender that remembers the senders that were heard of last, and forgets the others. */
import { keepLatest } from '@natrium/model';

const MAX_SENDERS = 20_000;

export class BySender<T> {
  readonly #known = new Map<string, T>();

  get(sender: string): T | undefined {
    return this.#known.get(sender);
  }

  set(sender: string, known: T): void {
    this.#known.delete(sender); // so that it is the latest
    this.#known.set(sender, known);
    keepLatest(this.#known, MAX_SENDERS);
  }

  delete(sender: string): void {
    this.#known.delete(sender);
  }
}
