/**
 * The master bus as one gateway has it. What is fired here is heard here at once and then stored, and so is what a minion
 * fires, when it is the next of that minion; all else is heard in the journal's order: as it is stored from here, when it is
 * the next, else as it is read. So each sender's events are heard in their order, and each event once.
 *
 * Spec: docs/event-bus.md#order-and-gaps.
 */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { type Easing, GATHERED, type Unstorable, whenEased } from '@natrium/bus';
import type { ValueMap } from '@natrium/model';
import { within } from '@natrium/process';
import type { records } from '@natrium/wire';
import { EventProblem, type EventFeed, type Listen, type Listening, NotStored } from '../buses/bus.js';
import { type Member, Members } from '../buses/members.js';
import { gapEvent } from '../buses/outlet.js';
import { type Sized, sized, trimmed } from '../buses/sized.js';
import { cursorText } from '../event/cursor.js';
import { sizeOf, type Origin, stampOf, withoutStamp } from '../event/event.js';
import { tagProblem } from '../event/tags.js';
import { Ahead, toldAmong } from './ahead.js';
import { CatchUp, startOf } from './catch-up.js';
import { type EncodedBatch, type EventLog, heardFrom } from './event-log.js';
import { type Bounds, ReadingAlong } from './reading-along.js';
import { type Done, ended, type EventLag, type Own, Unstored } from './unstored.js';

export interface JournaledBusOptions {
  readonly log: EventLog;
  /** This gateway among the senders. */
  readonly sender: string;
  /** Largest data of an event in bytes. */
  readonly maxBytes: number;
  now(): number;
  onProblem(problem: string, cause?: unknown): void;
  /** How a flood is waited for, where it is not by the clock. */
  readonly easing?: Pick<Easing, 'wait'>;
}

const AGAIN_MS = 250;
/** Without a broker nothing can be written any more. */
const CLOSE_MS = 1000;

export class JournaledBus implements EventFeed {
  readonly #members = new Members();
  readonly #unstored = new Unstored();
  /** Heard here and not read back yet: at no place that `#place` covers. */
  readonly #ahead: Ahead;
  #number = 0;
  #lost = 0;
  #storing = false;
  #stored: Promise<void> = Promise.resolve();
  #isGathering = false;
  readonly #along: ReadingAlong;
  #closed = false;

  private constructor(
    private readonly options: JournaledBusOptions,
    last: number,
  ) {
    this.#ahead = new Ahead(options.sender);
    const ear = {
      hear: this.#hear.bind(this),
      moved: this.#members.passed.bind(this.#members, this),
      hasHeard: ({ sender, through }: EncodedBatch) => through <= this.#ahead.throughOf(sender),
      begunAnew: this.#members.endCatchingUp.bind(this.#members),
      missed: (why: string) => {
        this.#members.tell(gapEvent({ why }, { stamp: this.now(), cursor: this.cursor }));
      },
    };
    this.#along = new ReadingAlong(options.log, last, ear, () => options.now());
  }

  static async open(options: JournaledBusOptions): Promise<JournaledBus> {
    const { last } = await options.log.bounds();
    const bus = new JournaledBus(options, last);
    bus.#along.begin();
    return bus;
  }

  /** Where a listener that begins now stands. */
  get cursor(): string {
    return this.#cursorWith(this.#ahead.last);
  }

  get lag(): EventLag {
    return this.#unstored.lag;
  }

  /** Largest data of an event in bytes. */
  get maxBytes(): number {
    return this.options.maxBytes;
  }

  /** Batches of the journal that were not heard here yet, by the broker's word now. */
  async behind(): Promise<number> {
    const { last } = await this.#along.bounds();
    return Math.max(0, last - this.#along.place.sequence);
  }

  /** Tells when the first listener comes and when the last has gone. */
  whenListened(tell: (isAny: boolean) => void): void {
    this.#members.onAny = tell;
  }

  subscribe(listen: Listen = {}): Listening {
    const made = this.#members.make(listen);
    if (!made.ok) throw new EventProblem(made.error);
    const member = made.value;
    const from = listen.from ?? 'now';
    const untilNow = listen.until === 'now';
    if (from !== 'now') {
      const begun = this.#members.letCatchUp.bind(this.#members, member);
      new CatchUp(this.options.log, member, this, untilNow).begin(startOf(from), begun).catch((cause: unknown) => {
        this.options.onProblem('a listener could not be given what it missed', cause);
        member.outlet.close();
      });
    } else if (untilNow) member.end(this.cursor);
    else this.#members.add(member, this.cursor);
    return member.outlet;
  }

  async fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    if (this.#closed) throw ended();
    await new Promise<void>((stored, failed) => {
      // What it throws fails the promise.
      this.#take(tag, sized(data, this.maxBytes), origin, (problem) => {
        if (problem === undefined) stored();
        else failed(problem);
      });
    });
  }

  /**
   * For a service, which tells what others did and waits for nothing: what is too large for an event is trimmed, what finds no
   * room leaves a gap marker, and the log says so.
   */
  announce(tag: string, data: ValueMap, origin: Origin): void {
    try {
      if (this.#closed) throw ended();
      this.#take(tag, trimmed(data, this.maxBytes), origin);
    } catch (cause) {
      this.options.onProblem(`the event ${tag} was not fired`, cause);
    }
  }

  /**
   * Tells what a minion fired before it is stored, when all that it fired before was told; otherwise it is heard from the journal.
   *
   * @param first Its first number; events that the gateway refused may have been there.
   * @param sizes Of each event's data in bytes, about, where that was measured.
   */
  tellEarly(sender: string, first: number, events: readonly records.StoredEvent[], sizes?: readonly number[]): void {
    if (!this.hearsEarly(sender) || this.#ahead.nextOf(sender) !== first) return;
    for (const [at, stored] of events.entries()) this.#tellAhead(sender, stored, sizes?.[at]);
  }

  /** Whether anything that this minion fires now may be told before it is stored. */
  hearsEarly(sender: string): boolean {
    return !this.#closed && this.#members.size > 0 && this.#ahead.nextOf(sender) !== undefined;
  }

  /** What is gathered is written first. */
  async close(): Promise<void> {
    this.#wake(true);
    await within(CLOSE_MS, this.#stored);
    this.#closed = true;
    this.#along.close();
    this.#members.close();
    for (const { done } of this.#unstored.take()) done?.(ended());
  }

  /** Resolves when what others have stored up to `sequence` has been told here. */
  reached(sequence: number): Promise<void> {
    return this.#along.reached(sequence);
  }

  bounds(): Promise<Bounds> {
    return this.#along.bounds();
  }

  /**
   * Lets a listener hear what comes from now on, after all that it has not heard of what this bus told since `sequence`.
   *
   * @returns false when that is too long ago: it reads on by itself.
   */
  join(member: Member, sequence: number): boolean {
    const missed = this.#along.heardAfter(sequence);
    if (missed === undefined) return false;
    // As others heard it, a cursor may name what was told ahead to them, which comes to this one after it.
    for (const recent of missed)
      recent.events.forEach((event, index) => {
        member.offer(heardFrom(recent.sender, event, cursorText(recent.sequence, index)));
      });
    const heard = new Map<string, number>();
    for (const [sender, event] of this.#ahead) {
      heard.set(sender, event.number);
      member.offer(heardFrom(sender, event, this.#cursorWith(heard)));
    }
    this.#members.add(member, this.cursor);
    return true;
  }

  #cursorWith(ahead: ReadonlyMap<string, number>): string {
    const { sequence, index } = this.#along.place;
    return cursorText(sequence, index, ahead);
  }

  now(): string {
    return stampOf(this.options.now());
  }

  #take(tag: string, { data, bytes }: Sized, origin: Origin, done?: Done): void {
    const problem = tagProblem(tag);
    if (problem !== undefined) throw new EventProblem(problem);
    if (this.#unstored.isFull) {
      this.#lost += 1;
      throw new NotStored('the broker takes no events now and no more can be kept; fire it again later');
    }
    if (this.#lost > 0) this.#fireGap();
    this.#put({ tag, data: withoutStamp(data), origin, stamp: this.now() }, bytes, done);
  }

  #fireGap(): void {
    const dropped = this.#lost;
    this.#lost = 0;
    const gap = gapEvent({ dropped, why: 'the broker took no events' }, { stamp: this.now(), cursor: '' });
    this.#put(gap, sizeOf(gap));
  }

  #put({ tag, data, origin, stamp }: Omit<records.StoredEvent, 'number'>, size: number, done?: Done): void {
    this.#number += 1;
    const stored = { number: this.#number, tag, data, origin, stamp };
    this.#unstored.put({ stored, size, done });
    this.#tellAhead(this.options.sender, stored, size);
    this.#wake(done !== undefined);
  }

  #tellAhead(sender: string, stored: records.StoredEvent, bytes?: number): void {
    this.#ahead.tell(sender, stored);
    if (this.#members.size > 0) this.#members.tell(heardFrom(sender, stored, this.cursor, bytes));
  }

  #wake(now: boolean): void {
    if (this.#storing) return;
    if (!now) void this.#gather();
    else {
      this.#storing = true;
      this.#stored = turn().then(() => this.#storeAll());
    }
  }

  async #gather(): Promise<void> {
    if (this.#isGathering) return;
    this.#isGathering = true;
    await whenEased(() => this.#number, { ...GATHERED, ...this.options.easing });
    this.#isGathering = false;
    // Somebody who waits may have had all of it written meanwhile.
    if (!this.#unstored.isEmpty) this.#wake(true);
  }

  async #storeAll(): Promise<void> {
    for (let isTold = false; !this.#unstored.isEmpty && !this.#closed;) {
      const batch = this.#unstored.next();
      try {
        const events = batch.map(({ stored }) => stored);
        await this.options.log.appendStorable(this.options.sender, events, (event, cause) => {
          this.#giveUp(batch, event, cause);
        });
      } catch (cause) {
        if (!isTold) this.options.onProblem('events could not be stored and are tried again', cause);
        isTold = true; // a broker may take nothing for hours
        await pause(AGAIN_MS);
        continue; // whatever of it is there already is dropped by its number
      }
      isTold = false;
      for (const { done } of this.#unstored.take(batch.length)) done?.();
    }
    this.#storing = false;
  }

  #giveUp(batch: readonly Own[], event: records.StoredEvent, cause: Unstorable): void {
    this.options.onProblem(`the event ${event.tag} cannot be stored: it was heard here only`, cause);
    const own = batch.find(({ stored }) => stored === event);
    own?.done?.(new EventProblem(`the event cannot be stored: ${cause.message}`));
  }

  #hear(batch: EncodedBatch): void {
    this.options.log.heard(batch);
    const told = this.#ahead.readBack(batch.sender, batch.through);
    if (batch.sender !== this.options.sender && this.#members.size > 0) this.#tellOthers(batch, told);
  }

  #tellOthers({ sequence, sender, events, encoded }: EncodedBatch, told: readonly records.StoredEvent[]): void {
    const isTold = toldAmong(told);
    const bytes = Math.ceil(encoded.length / Math.max(1, events.length)); // about: to measure each would be a walk of it
    events.forEach((event, index) => {
      const cursor = cursorText(sequence, index, this.#ahead.last);
      if (!isTold(event)) this.#members.tell(heardFrom(sender, event, cursor, bytes));
    });
  }
}
