/** The batches that a bus has told last, for a listener that has read up to a moment ago. */
import type { LoggedBatch } from './event-log.js';

export type Recent = Pick<LoggedBatch, 'sequence' | 'sender' | 'events'>;

const MAX_EVENTS = 2000;

export class RecentBatches {
  readonly #batches: Recent[] = [];
  #events = 0;

  keep(batch: Recent): void {
    this.#batches.push(batch);
    this.#events += batch.events.length;
    while (this.#events > MAX_EVENTS && this.#batches.length > 1) {
      this.#events -= this.#batches.shift()?.events.length ?? 0;
    }
  }

  /** Those after `sequence`, where there are any; undefined when that is too long ago. */
  after(sequence: number): readonly Recent[] | undefined {
    const [oldest] = this.#batches;
    if (oldest === undefined || oldest.sequence > sequence + 1) return undefined;
    return this.#batches.filter((batch) => batch.sequence > sequence);
  }
}
