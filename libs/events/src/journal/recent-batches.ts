/**
 * The batches that a bus has told last, for a listener that has read up to a moment ago. As they are encoded: what a minion
 * makes of a megabyte can be many times as large when it is read.
 */
import { equalBytes } from '@natrium/envelope';
import { type EncodedBatch, type LoggedBatch, readEncoded } from './event-log.js';

export type Recent = Pick<LoggedBatch, 'sequence' | 'sender' | 'events'>;

interface Kept {
  readonly sequence: number;
  readonly count: number;
  readonly encoded: Uint8Array;
}

const MAX_EVENTS = 2000;
const MAX_BYTES = 4 << 20;

export class RecentBatches {
  readonly #batches: Kept[] = [];
  #events = 0;
  #bytes = 0;

  keep({ sequence, events, encoded }: EncodedBatch): void {
    this.#batches.push({ sequence, count: events.length, encoded: alone(encoded) });
    this.#events += events.length;
    this.#bytes += encoded.length;
    while ((this.#events > MAX_EVENTS || this.#bytes > MAX_BYTES) && this.#batches.length > 1) this.#forgetOldest();
  }

  /** Whether it is this very batch that was told at its place; undefined when that is too long ago. */
  has({ sequence, encoded }: Pick<EncodedBatch, 'sequence' | 'encoded'>): boolean | undefined {
    const kept = this.#batches.findLast((batch) => batch.sequence === sequence);
    return kept === undefined ? undefined : equalBytes(kept.encoded, encoded);
  }

  /** Those after `sequence`, where there are any; undefined when that is too long ago. */
  after(sequence: number): readonly Recent[] | undefined {
    const [oldest] = this.#batches;
    if (oldest === undefined || oldest.sequence > sequence + 1) return undefined;
    const later = this.#batches.filter((batch) => batch.sequence > sequence);
    return later.map(({ sequence: at, encoded }) => ({ sequence: at, ...readEncoded(encoded) }));
  }

  #forgetOldest(): void {
    const oldest = this.#batches.shift();
    this.#events -= oldest?.count ?? 0;
    this.#bytes -= oldest?.encoded.length ?? 0;
  }
}

/** Small ones share a buffer with others, which would be kept with them. */
function alone(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
