/**
 * The master bus as one gateway has it. What is fired here is heard here at once and then stored; what others fired is heard
 * in the journal's order: as it is stored from here, when it is the next, else as it is read. So each sender's events are
 * heard in their order, and each event once.
 *
 * Spec: docs/event-bus.md#order-and-gaps.
 */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Reading, Unstorable } from '@natrium/bus';
import type { ValueMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import { EventProblem, type EventFeed, type Listen, type Listening, NotStored } from './bus.js';
import { CatchUp } from './catch-up.js';
import { cursorText, readCursor } from './cursor.js';
import { type Heard, numberOf, type Origin, stampOf, withoutStamp } from './event.js';
import { type EventLog, heardFrom, type LoggedBatch } from './event-log.js';
import { checkEvent } from './local-bus.js';
import { roughSize } from './rough-size.js';
import { type Member, Members } from './members.js';
import { gapEvent } from './outlet.js';
import { tagProblem } from './tags.js';
import { type Done, ended, nextBatch, type Own } from './unstored.js';

export interface JournaledBusOptions {
  readonly log: EventLog;
  /** This gateway among the senders. */
  readonly sender: string;
  /** Largest data of an event in bytes. */
  readonly maxBytes: number;
  now(): number;
  onProblem(problem: string, cause?: unknown): void;
}

interface Recent {
  readonly sequence: number;
  readonly events: readonly Heard[];
}

const MAX_UNSTORED = 50_000;
const MAX_RECENT = 2000;
const AGAIN_MS = 250;
/** What nobody waits for is gathered so long before it is written: each write costs the broker an fsync, and it was heard here at once. */
const WINDOW_MS = 50;
/** Without a broker nothing can be written any more. */
const CLOSE_MS = 1000;
const LAST_INDEX = 99_999;

export class JournaledBus implements EventFeed {
  readonly #members = new Members();
  /** Fired here and not stored yet. */
  readonly #unstored: Own[] = [];
  /** Fired here and not read back yet: at no place that `#place` covers. */
  readonly #ahead: Heard[] = [];
  #number = 0;
  #readBack = 0;
  #lost = 0;
  #storing = false;
  #stored: Promise<void> = Promise.resolve();
  #window: NodeJS.Timeout | undefined;
  #place: { readonly sequence: number; readonly index: number };
  readonly #recent: Recent[] = [];
  #recentEvents = 0;
  readonly #moved = new Set<() => void>();
  #reading: Reading | undefined;
  #endStored: () => void = () => undefined;
  #closed = false;

  private constructor(
    private readonly options: JournaledBusOptions,
    last: number,
  ) {
    this.#place = { sequence: last, index: LAST_INDEX };
  }

  static async open(options: JournaledBusOptions): Promise<JournaledBus> {
    const { last } = await options.log.bounds();
    const bus = new JournaledBus(options, last);
    bus.#endStored = options.log.whenStored((batch) => {
      if (batch.sequence === bus.#place.sequence + 1) bus.#hear(batch);
    });
    // Most of what was fired here was heard when it was stored, and need not even be decoded.
    const isHeard = (sequence: number) => sequence <= bus.#place.sequence;
    bus.#reading = options.log.read({ after: last }, bus.#hear.bind(bus), undefined, isHeard);
    return bus;
  }

  /** Where a listener that begins now stands. */
  get cursor(): string {
    return cursorText(this.#place.sequence, this.#place.index, this.#aheadOf());
  }

  get listeners(): number {
    return this.#members.size;
  }

  subscribe(listen: Listen = {}): Listening {
    const made = this.#members.make(listen);
    if (!made.ok) throw new EventProblem(made.error);
    const member = made.value;
    const from = listen.from ?? 'now';
    if (from === 'now') this.#members.add(member);
    else {
      const cursor = typeof from === 'object' && 'cursor' in from ? readCursor(from.cursor) : undefined;
      if (typeof from === 'object' && 'cursor' in from && cursor === undefined)
        throw new EventProblem(`${from.cursor} is no cursor of this bus`);
      const start = cursor ?? (typeof from === 'object' && 'time' in from ? { time: from.time } : 'start');
      new CatchUp(this.options.log, member, this, listen.until === 'now').begin(start).catch((cause: unknown) => {
        this.options.onProblem('a listener could not be given what it missed', cause);
        member.outlet.close();
      });
    }
    return member.outlet;
  }

  async fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    if (this.#closed) throw ended();
    await new Promise<void>((stored, failed) => {
      // What it throws fails the promise.
      this.#take(tag, data, origin, (problem) => {
        if (problem === undefined) stored();
        else failed(problem);
      });
    });
  }

  /** For a caller who waits for nothing: what finds no room leaves a gap marker, and the log says so. */
  announce(tag: string, data: ValueMap, origin: Origin): void {
    try {
      this.#take(tag, data, origin);
    } catch (cause) {
      this.options.onProblem(`the event ${tag} was not fired`, cause);
    }
  }

  /** What is gathered is written first. */
  async close(): Promise<void> {
    this.#wake(true);
    await Promise.race([this.#stored, pause(CLOSE_MS, undefined, { ref: false })]);
    this.#closed = true;
    this.#endStored();
    this.#reading?.close();
    this.#members.close();
    for (const { done } of this.#unstored.splice(0)) done?.(ended());
  }

  /** Resolves when what others have stored up to `sequence` has been told here. */
  async reached(sequence: number): Promise<void> {
    while (this.#place.sequence < sequence && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#moved.add(resolve);
      });
    }
  }

  /**
   * Lets a listener hear what comes from now on, after all that it has not heard of what this bus told since `sequence`.
   *
   * @returns false when that is too long ago: it reads on by itself.
   */
  join(member: Member, sequence: number, heardOwn: number): boolean {
    const [oldest] = this.#recent;
    if (sequence < this.#place.sequence && (oldest === undefined || oldest.sequence > sequence + 1)) return false;
    for (const recent of this.#recent) {
      if (recent.sequence > sequence) for (const event of recent.events) member.offer(event);
    }
    for (const event of this.#ahead) if (numberOf(event) > heardOwn) member.offer(event);
    this.#members.add(member);
    return true;
  }

  get sender(): string {
    return this.options.sender;
  }

  now(): string {
    return stampOf(this.options.now());
  }

  #take(tag: string, data: ValueMap, origin: Origin, done?: Done): void {
    const problem = tagProblem(tag);
    if (problem !== undefined) throw new EventProblem(problem);
    checkEvent(data);
    const size = roughSize(data);
    if (size > this.options.maxBytes) {
      throw new EventProblem(`an event has at most ${String(this.options.maxBytes)} bytes (max_event_size)`);
    }
    if (this.#unstored.length >= MAX_UNSTORED) {
      this.#lost += 1;
      throw new NotStored('the broker takes no events now and no more can be kept; fire it again later');
    }
    if (this.#lost > 0) this.#fireGap();
    this.#put({ tag, data: withoutStamp(data), origin, stamp: this.now() }, size, done);
  }

  #fireGap(): void {
    const dropped = this.#lost;
    this.#lost = 0;
    const gap = gapEvent({ dropped, why: 'the broker took no events' }, { stamp: this.now(), cursor: '' });
    this.#put(gap, roughSize(gap.data));
  }

  #put({ tag, data, origin, stamp }: Omit<records.StoredEvent, 'number'>, size: number, done?: Done): void {
    this.#number += 1;
    const stored = { number: this.#number, tag, data, origin, stamp };
    const heard = heardFrom(
      { sender: this.sender, sequence: 0, through: 0, events: [], behind: 0 },
      stored,
      this.cursor,
    );
    this.#unstored.push({ stored, heard, size, done });
    this.#ahead.push(heard);
    this.#members.tell(heard);
    this.#wake(done !== undefined);
  }

  #wake(now: boolean): void {
    if (this.#storing) return;
    if (!now) {
      this.#window ??= setTimeout(() => {
        this.#wake(true);
      }, WINDOW_MS);
      return;
    }
    clearTimeout(this.#window);
    this.#window = undefined;
    this.#storing = true;
    this.#stored = turn().then(() => this.#storeAll());
  }

  async #storeAll(): Promise<void> {
    while (this.#unstored.length > 0 && !this.#closed) {
      const batch = nextBatch(this.#unstored);
      try {
        const events = batch.map(({ stored }) => stored);
        await this.options.log.appendStorable(this.sender, events, (event, cause) => {
          this.#giveUp(batch, event, cause);
        });
      } catch (cause) {
        this.options.onProblem('events could not be stored and are tried again', cause);
        await pause(AGAIN_MS);
        continue; // whatever of it is there already is dropped by its number
      }
      this.#unstored.splice(0, batch.length);
      for (const { done } of batch) done?.();
    }
    this.#storing = false;
  }

  #giveUp(batch: readonly Own[], event: records.StoredEvent, cause: Unstorable): void {
    this.options.onProblem(`the event ${event.tag} cannot be stored: it was heard here only`, cause);
    const own = batch.find(({ stored }) => stored === event);
    own?.done?.(new EventProblem(`the event cannot be stored: ${cause.message}`));
  }

  #hear(batch: LoggedBatch): void {
    const { sequence, sender, through } = batch;
    this.options.log.heard(batch);
    const own = sender === this.sender;
    if (own) {
      this.#readBack = through;
      const kept = this.#ahead.findIndex((event) => numberOf(event) > through);
      this.#ahead.splice(0, kept === -1 ? this.#ahead.length : kept);
    }
    const ahead = this.#aheadOf();
    const events = batch.events.map((event, index) => heardFrom(batch, event, cursorText(sequence, index, ahead)));
    // Own events were heard at once, when they were fired.
    if (!own) for (const event of events) this.#members.tell(event);
    this.#place = { sequence, index: Math.max(0, events.length - 1) };
    this.#keepRecent({ sequence, events });
    for (const moved of this.#moved) moved();
    this.#moved.clear();
  }

  #keepRecent(recent: Recent): void {
    this.#recent.push(recent);
    this.#recentEvents += recent.events.length;
    while (this.#recentEvents > MAX_RECENT && this.#recent.length > 1) {
      this.#recentEvents -= this.#recent.shift()?.events.length ?? 0;
    }
  }

  #aheadOf(): ReadonlyMap<string, number> | undefined {
    return this.#number > this.#readBack ? new Map([[this.sender, this.#number]]) : undefined;
  }
}
