/**
 * The batches that a bus has told last, for a listener that has read up to a moment ago. As they are encoded: what a minion
 * makes of a megabyte can be many times as large when it is read.
 */
import { bytesOf, mapKey } from '@natrium/envelope';
import { type EncodedBatch, type LoggedBatch, readEncoded } from './event-log.js';

export type Recent = Pick<LoggedBatch, 'sequence' | 'sender' | 'events'>;

interface Kept {
  readonly sequence: number;
  readonly count: number;
  /** As text, a letter for each byte: a buffer of its own takes twice as much for a batch of one small event, and thousands are kept. */
  readonly encoded: string;
}

const MAX_EVENTS = 2000;
const MAX_BYTES = 4 << 20;
/** At least; twice as long at most. Who reads what is older than a moment reads it from the journal, and a bus at rest holds nothing. */
const KEPT_MS = 5000;

export class RecentBatches {
  readonly #batches: Kept[] = [];
  #events = 0;
  #bytes = 0;
  #sweeping: NodeJS.Timeout | undefined;
  /** The last that was there when it was swept last. */
  #swept = 0;

  keep({ sequence, events, encoded }: EncodedBatch): void {
    this.#batches.push({ sequence, count: events.length, encoded: mapKey(encoded) });
    this.#events += events.length;
    this.#bytes += encoded.length;
    while ((this.#events > MAX_EVENTS || this.#bytes > MAX_BYTES) && this.#batches.length > 1) this.#forgetOldest();
    this.#sweeping ??= setInterval(this.#sweep.bind(this), KEPT_MS).unref();
  }

  /** Whether it is this very batch that was told at its place; undefined when that is too long ago. */
  has({ sequence, encoded }: Pick<EncodedBatch, 'sequence' | 'encoded'>): boolean | undefined {
    const kept = this.#batches.findLast((batch) => batch.sequence === sequence);
    return kept === undefined ? undefined : kept.encoded === mapKey(encoded);
  }

  /** Those after `sequence`, where there are any; undefined when that is too long ago. */
  after(sequence: number): readonly Recent[] | undefined {
    const [oldest] = this.#batches;
    if (oldest === undefined || oldest.sequence > sequence + 1) return undefined;
    const later = this.#batches.filter((batch) => batch.sequence > sequence);
    return later.map(({ sequence: at, encoded }) => ({ sequence: at, ...readEncoded(bytesOf(encoded)) }));
  }

  close(): void {
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #sweep(): void {
    while ((this.#batches[0]?.sequence ?? Infinity) <= this.#swept) this.#forgetOldest();
    this.#swept = this.#batches.at(-1)?.sequence ?? 0;
    if (this.#batches.length === 0) this.close();
  }

  #forgetOldest(): void {
    const oldest = this.#batches.shift();
    this.#events -= oldest?.count ?? 0;
    this.#bytes -= oldest?.encoded.length ?? 0;
  }
}
