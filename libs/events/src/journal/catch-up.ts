/** Gives a listener what it missed, from the journal, and then lets it hear what comes now; nothing twice, nothing left out. */
import type { Reading } from '@natrium/bus';
import { EventProblem, type From } from '../buses/bus.js';
import type { Member } from '../buses/members.js';
import { gapEvent } from '../buses/outlet.js';
import { type Cursor, cursorText, LAST_INDEX, readCursor } from '../event/cursor.js';
import { stampOf } from '../event/event.js';
import { type EventLog, heardFrom, type LoggedBatch } from './event-log.js';
import { SLACK_MS } from './reading-along.js';

type Start = 'start' | Cursor | { readonly time: number };

/** @throws {EventProblem} When the cursor is none. */
export function startOf(from: Exclude<From, 'now'>): Start {
  if (from === 'start' || 'time' in from) return from;
  const cursor = readCursor(from.cursor);
  if (cursor === undefined) throw new EventProblem(`${from.cursor} is no cursor of this bus`);
  return cursor;
}

/** The bus as it tells what comes now. */
export interface LiveBus {
  now(): string;
  /** The first message that the journal holds, and the last that it was given. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>;
  /** Resolves when all up to this message of the journal has been told. */
  reached(sequence: number): Promise<void>;
  /** @returns Whether it still remembers all behind that message: then the listener hears from there on. */
  join(member: Member, sequence: number): boolean;
}

/**
 * Reads batch by batch, and after each one tries to hand the listener over to the live bus, which takes it as soon as it still
 * remembers all that it has told since that batch.
 */
export class CatchUp {
  #reading: Reading | undefined;
  #start: Start = 'start';
  /** The last message of the journal when it began: a listener that hears until now has all with that. */
  #last = 0;
  /** The batch that was read last, or behind which reading begins; undefined where it begins with whatever there is. */
  #read: number | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly member: Member,
    private readonly bus: LiveBus,
    /** The listener wants what is there now, and not what comes after. */
    private readonly untilNow: boolean,
  ) {}

  /** @param begun Told when what it has to read is clear: it is of no use to it any more if the journal begins anew after that. */
  async begin(start: Start, begun: () => void): Promise<void> {
    this.#start = start;
    this.member.onLeave = () => this.#reading?.close();
    const { first, last } = await this.bus.bounds();
    begun();
    this.#last = last;
    const asked = isCursor(start) ? start : undefined;
    const isAnew = asked !== undefined && asked.sequence > last;
    // What another journal held at that place and before is in no other's numbers.
    const cursor = isAnew ? { ...asked, sequence: last, index: LAST_INDEX } : asked;
    if (cursor !== undefined) {
      this.#start = cursor;
      this.member.skips = cursor.ahead;
      this.#read = Math.max(cursor.sequence, first - 1);
      if (isAnew) this.#tellGap('the journal of the events has begun anew', last);
      else if (cursor.sequence < this.#read) this.#tellGap('older events are no longer kept', this.#read);
    }
    const nothing = last === 0 || first > last || isAnew;
    if (nothing && this.untilNow) {
      this.#end(last);
      return;
    }
    if (nothing) {
      await this.bus.reached(last);
      if (this.bus.join(this.member, last)) return;
    }
    this.#readFrom(this.#start, cursor);
  }

  #readFrom(start: Start, cursor: Cursor | undefined): void {
    const { outlet } = this.member;
    if (outlet.closed) return;
    const from =
      cursor !== undefined
        ? { after: Math.max(0, cursor.sequence - 1) }
        : start === 'start' || isCursor(start)
          ? ({ everything: true } as const)
          : { at: Math.max(0, start.time - SLACK_MS) }; // of what comes before, the stamp tells
    this.#reading = this.log.read(
      from,
      (batch) => this.#take(batch),
      () => {
        if (this.untilNow) this.#end(this.#last);
      },
    );
  }

  async #take(batch: LoggedBatch): Promise<void> {
    const { outlet } = this.member;
    // The oldest go while it is read, and what does not open is left out.
    if (batch.sequence > (this.#read ?? Infinity) + 1) this.#tellGap('events are no longer kept', batch.sequence - 1);
    this.#read = batch.sequence;
    for (const [index, event] of batch.events.entries()) {
      if (!this.#isNew(batch.sequence, index, event.stamp)) continue;
      await outlet.room();
      this.member.offer(heardFrom(batch.sender, event, cursorText(batch.sequence, index)));
    }
    this.member.passed(cursorText(batch.sequence, LAST_INDEX));
    if (this.untilNow) {
      if (batch.sequence >= this.#last) this.#end(batch.sequence);
      return;
    }
    await this.bus.reached(batch.sequence);
    if (this.bus.join(this.member, batch.sequence)) this.#reading?.close();
  }

  #isNew(sequence: number, index: number, stamp: string): boolean {
    const start = this.#start;
    if (isCursor(start)) return sequence > start.sequence || index > start.index;
    return start === 'start' || stamp >= stampOf(start.time);
  }

  #end(sequence: number): void {
    this.member.end(cursorText(sequence, LAST_INDEX));
  }

  #tellGap(why: string, sequence: number): void {
    this.member.outlet.push(gapEvent({ why }, { stamp: this.bus.now(), cursor: cursorText(sequence, LAST_INDEX) }));
  }
}

function isCursor(start: Start): start is Cursor {
  return typeof start === 'object' && 'sequence' in start;
}
