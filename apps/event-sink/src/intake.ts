/**
 * What a sink has still to deliver: a bounded queue between the journal, which waits while it is full, and the destination.
 *
 * Sequences of the journal follow one another, so one that is left out is seen here, and a gap marker stands in its place.
 */
import {
  cursorText,
  eventsOf,
  gapEvent,
  type Heard,
  isGap,
  type LoggedBatch,
  roughSize,
  type TagTest,
} from '@natrium/events';
import { type At, WHOLE } from './place.js';

/** An event, or a batch in which nothing is wanted, and how far the sink is once it is delivered. */
export interface Step {
  readonly at: At;
  readonly event: Heard | undefined;
  readonly bytes: number;
}

const MAX_STEPS = 5000;
const MAX_BYTES = 8 << 20;

export class Intake {
  readonly #waiting: Step[] = [];
  #bytes = 0;
  #closed = false;
  /** Nothing more is put here. */
  #ended = false;
  #wake: (() => void) | undefined;
  #room: (() => void) | undefined;
  /** The last message of the journal that was put here whole. */
  #last: number;

  constructor(
    private readonly wants: TagTest,
    private readonly after: At,
    /** What a gap marker before the first batch says; undefined: nothing is missing there. */
    private missing?: string,
  ) {
    this.#last = after.index === WHOLE ? after.sequence : after.sequence - 1;
  }

  /** The event that waits the longest. */
  get oldest(): Heard | undefined {
    return this.#waiting.find(({ event }) => event !== undefined)?.event;
  }

  /** Resolves when there is room for the next one. */
  async put(batch: LoggedBatch): Promise<void> {
    if (this.#closed) return;
    this.#putGap(batch);
    this.#last = batch.sequence;
    const wanted = eventsOf(batch).flatMap((event, index) =>
      this.#isNew(batch, index) && (this.wants(event.tag) || isGap(event.tag)) ? [{ event, index }] : [],
    );
    for (const [position, { event, index }] of wanted.entries()) {
      const at = { sequence: batch.sequence, index: position === wanted.length - 1 ? WHOLE : index };
      this.#push({ at, event, bytes: roughSize(event.data) });
    }
    if (wanted.length === 0) this.#pass({ sequence: batch.sequence, index: WHOLE });
    this.#wake?.();
    while (this.#isFull) await this.#untilTaken();
  }

  /** What waits is the last that is taken. Resolves when it is closed. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#wake?.();
    while (!this.#closed) await this.#untilTaken();
  }

  /** At most so many, as soon as there is any; undefined once it is closed, or has ended and nothing waits. */
  async take(limit: number): Promise<readonly Step[] | undefined> {
    while (this.#waiting.length === 0 && !this.#closed && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#closed || this.#waiting.length === 0) return undefined;
    const taken = this.#waiting.splice(0, limit);
    for (const { bytes } of taken) this.#bytes -= bytes;
    this.#room?.();
    return taken;
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
    this.#room?.();
  }

  #untilTaken(): Promise<void> {
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  get #isFull(): boolean {
    return !this.#closed && (this.#waiting.length >= MAX_STEPS || this.#bytes >= MAX_BYTES);
  }

  #isNew({ sequence }: LoggedBatch, index: number): boolean {
    return sequence > this.after.sequence || index > this.after.index;
  }

  #putGap({ sequence, events: [first] }: LoggedBatch): void {
    const why = sequence > this.#last + 1 ? 'older events are no longer kept, or did not open' : this.missing;
    this.missing = undefined;
    if (why === undefined) return;
    const [at, stamp] = [{ sequence: sequence - 1, index: WHOLE }, first?.stamp ?? ''];
    const gap = gapEvent({ why }, { stamp, cursor: cursorText(at.sequence, at.index) });
    this.#push({ at, event: { ...gap, id: `gap-${String(this.#last)}-${String(sequence)}-${stamp}` }, bytes: 0 });
  }

  #push(step: Step): void {
    this.#waiting.push(step);
    this.#bytes += step.bytes;
  }

  /** Batches without anything wanted are one step, however many they are. */
  #pass(at: At): void {
    if (this.#waiting.at(-1)?.event === undefined) this.#waiting.pop();
    this.#waiting.push({ at, event: undefined, bytes: 0 });
  }
}
