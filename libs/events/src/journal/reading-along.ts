/**
 * How one bus goes along with the journal: what is stored from here is heard as it is stored, when it is the next, all else as it is read.
 *
 * A journal may hold less than was read of it: its broker has lost its data, or was given those of a backup. Who goes on after the last
 * message would hear nothing until as many are there again. It is noticed when something is stored from here at a place that was heard, and
 * by whoever asks for the bounds; then it is read on from the time of what was heard last.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Reading } from '@natrium/bus';
import { LAST_INDEX } from '../event/cursor.js';
import type { EncodedBatch, EventLog } from './event-log.js';
import { type Recent, RecentBatches } from './recent-batches.js';

export interface Place {
  readonly sequence: number;
  readonly index: number;
}

export interface Bounds {
  readonly first: number;
  readonly last: number;
}

/** Who goes along. */
export interface Ear {
  /** The next batch; the place is still the one before it. */
  hear(batch: EncodedBatch): void;
  /** All up to the place was heard. */
  moved(): void;
  /** Whether this batch was heard before the journal began anew. */
  hasHeard(batch: EncodedBatch): boolean;
  /** The journal has begun anew, and the place with it. */
  begunAnew(): void;
  /** What was stored between the place before and this one cannot be heard. */
  missed(why: string): void;
}

const ASK_AGAIN_MS = 500;
/** The broker's clock may be behind ours by as much. What is read twice for it is known by its number, or its stamp. */
export const SLACK_MS = 60_000;

export class ReadingAlong {
  #place: Place;
  #recent = new RecentBatches();
  readonly #moved = new Set<() => void>();
  /** When something was heard last. */
  #heardAt: number;
  /** Up to here, what is read may have been heard before the journal began anew. */
  #oldThrough = 0;
  #reading: Reading | undefined;
  #endStored: () => void = () => undefined;
  #isLooking = false;
  #closed = false;

  /** @param last The last message that is not heard. */
  constructor(
    private readonly log: EventLog,
    last: number,
    private readonly ear: Ear,
    private readonly now: () => number,
  ) {
    this.#place = { sequence: last, index: LAST_INDEX };
    this.#heardAt = now();
  }

  begin(): void {
    this.#endStored = this.log.whenStored((batch) => {
      const { sequence } = this.#place;
      if (batch.sequence === sequence + 1) this.#hear(batch);
      else if (batch.sequence <= sequence) this.#doubt(batch);
    });
    // Most of what was fired here was heard when it was stored, and need not even be decoded.
    const isHeard = (sequence: number) => sequence <= this.#place.sequence;
    this.#reading = this.log.read({ after: this.#place.sequence }, this.#hear.bind(this), undefined, isHeard);
  }

  get place(): Place {
    return this.#place;
  }

  /** Of the journal, by the broker's word now. */
  bounds(): Promise<Bounds> {
    return this.#boundsUnlessAnew(this.#place.sequence); // what is heard meanwhile is no part of the answer
  }

  /** @param least A journal that was given less than this has begun anew. */
  async #boundsUnlessAnew(least: number): Promise<Bounds> {
    const reading = this.#reading;
    let bounds = await this.log.bounds();
    if (bounds.last < least && least !== Infinity) {
      // A node that has just become the journal's leader may not know at once of all that it has.
      await pause(ASK_AGAIN_MS);
      bounds = await this.log.bounds();
    }
    if (bounds.last < least && reading === this.#reading && !this.#closed) this.#beginAnew(bounds);
    return bounds;
  }

  /** Resolves when what others have stored up to `sequence` has been heard, or the journal has begun anew. */
  async reached(sequence: number): Promise<void> {
    const reading = this.#reading;
    while (this.#place.sequence < sequence && reading === this.#reading && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#moved.add(resolve);
      });
    }
  }

  /** What was heard after `sequence`; undefined when that is too long ago. */
  heardAfter(sequence: number): readonly Recent[] | undefined {
    return sequence < this.#place.sequence ? this.#recent.after(sequence) : [];
  }

  close(): void {
    this.#closed = true;
    this.#recent.close();
    this.#endStored();
    this.#reading?.close();
    this.#wake();
  }

  /** It was stored at a place that was heard: it was read before the broker's word came, or the journal has begun anew. */
  #doubt(batch: EncodedBatch): void {
    const isThere = this.#recent.has(batch);
    if (isThere === true || this.#isLooking) return;
    this.#isLooking = true;
    const least = isThere === false ? Infinity : this.#place.sequence;
    // Where nobody answers, the next that is stored asks again.
    void this.#boundsUnlessAnew(least)
      .catch(() => undefined)
      .finally(() => {
        this.#isLooking = false;
      });
  }

  #hear(batch: EncodedBatch): void {
    const { sequence, events } = batch;
    if (sequence > Math.max(this.#place.sequence, this.#oldThrough) + 1) this.#miss(sequence - 1);
    if (sequence > this.#oldThrough || !this.ear.hasHeard(batch)) this.ear.hear(batch);
    this.#recent.keep(batch);
    this.#heardAt = this.now();
    this.#stand({ sequence, index: Math.max(0, events.length - 1) });
  }

  /** The oldest went before they were read here, or what was stored does not open: who still catches up has to see that, too. */
  #miss(sequence: number): void {
    this.#place = { sequence, index: LAST_INDEX };
    this.#forgetRecent();
    this.ear.missed('older events are no longer kept, or did not open');
  }

  #forgetRecent(): void {
    this.#recent.close();
    this.#recent = new RecentBatches();
  }

  #stand(place: Place): void {
    this.#place = place;
    this.ear.moved();
    this.#wake();
  }

  #wake(): void {
    for (const moved of this.#moved) moved();
    this.#moved.clear();
  }

  #beginAnew({ first, last }: Bounds): void {
    this.#reading?.close();
    const before = { sequence: Math.max(0, first - 1), index: LAST_INDEX };
    this.#place = before;
    this.#oldThrough = last;
    this.#forgetRecent();
    this.ear.begunAnew();
    this.ear.missed('the journal of the events has begun anew');
    const isHeard = (sequence: number) => sequence <= this.#place.sequence;
    const onNothing = () => {
      if (this.#place === before) this.#stand({ sequence: last, index: LAST_INDEX });
    };
    this.#reading = this.log.read({ at: this.#heardAt - SLACK_MS }, this.#hear.bind(this), onNothing, isHeard);
    this.#wake();
  }
}
