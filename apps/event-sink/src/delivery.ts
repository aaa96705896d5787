/**
 * One sink at work: it takes its place, reads the journal from there, and moves the place on only when the destination has
 * committed. A destination that is slow or away holds up nobody but itself; what it missed is read when it is back.
 *
 * Spec: docs/event-bus.md#sinks.
 */
import type { EventLog, Heard, TagTest } from '@natrium/events';
import { messageOf } from '@natrium/model';
import { pause } from '@natrium/process';
import type { Logger } from 'pino';
import { type Destination, EventRefused, TookTooLong } from './destination.js';
import { Intake, type Step } from './intake.js';
import { LateKeys } from './late-keys.js';
import { type At, type Place, RENEW_MS, WHOLE } from './place.js';

/** What is counted of one sink; docs/operations.md. */
export interface SinkFigures {
  /** Events that were delivered, attempts that failed, events that the destination never takes. */
  count(what: 'delivered' | 'failed' | 'refused', count: number): void;
}

export interface DeliveryParts {
  readonly name: string;
  readonly wants: TagTest;
  readonly journal: Pick<EventLog, 'bounds' | 'read'>;
  readonly place: Place;
  readonly destination: Destination;
  readonly figures: SinkFigures;
  readonly log: Logger;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** After each batch that was taken whole the next one may be larger by this part of it. */
const MORE = 4;
/** A node that has just become the journal's leader may not know at once of all that it has: it is asked twice before all comes again. */
const ASKED = 2;
const ASK_AGAIN_MS = 500;
/** Whoever lacks a storage key lets others come, who look every two seconds, before it looks again. */
const ANOTHERS_TURN_MS = 10_000;
/** Where the journal has begun anew and the destination was not told yet. No message has this number, and a sink that begins stands behind it. */
const ANEW: At = { sequence: 0, index: 0 };

export class Delivery {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #intake: Intake | undefined;
  #inHand: readonly Heard[] = [];
  #behind = 0;
  /** The last message of the journal that is delivered, or behind which reading begins; undefined while nothing is read. */
  #delivered: number | undefined;
  /** How many times in a row the journal had less than that. */
  #lacking = 0;
  #isHolding = false;
  readonly #lateKeys: LateKeys;
  /** What comes next does not open, and its key may still come. */
  #lacksKey = false;
  /** Events that go at once: half as many after a batch that took too long, and slowly more again. */
  #atOnce: number;

  constructor(private readonly parts: DeliveryParts) {
    this.#atOnce = parts.destination.atOnce;
    this.#lateKeys = new LateKeys(() => parts.now());
    this.#running = this.#run();
  }

  get name(): string {
    return this.parts.name;
  }

  /** 1 while this replica is the one that delivers. */
  get active(): number {
    return Number(this.#isHolding);
  }

  /** Messages of the journal that are not delivered, as of the last two seconds. */
  get behind(): number {
    return this.#behind;
  }

  /** When the oldest event was fired that is read and not delivered; undefined when there is none. */
  get waitingSince(): string | undefined {
    return (this.#inHand[0] ?? this.#intake?.oldest)?.stamp;
  }

  /** Finishes what is in hand and hands the place back. Never fails. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { place, destination } = this.parts;
    while (!this.#isStopped) {
      try {
        if (await place.take()) await this.#hold();
        else {
          this.#lateKeys.forget();
          await pause(RENEW_MS, this.#stop.signal);
        }
        if (this.#lacksKey) await pause(ANOTHERS_TURN_MS, this.#stop.signal);
        this.#lacksKey = false;
      } catch (cause) {
        this.#warn(cause, 'the place of a sink or the journal cannot be read; tried again');
        await pause(RENEW_MS, this.#stop.signal);
      }
    }
    try {
      await destination.close();
    } catch (cause) {
      this.#warn(cause, 'a destination could not be closed'); // the other sinks are finished all the same
    }
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #hold(): Promise<void> {
    const { place, log, name } = this.parts;
    const over = new AbortController();
    const ending = AbortSignal.any([this.#stop.signal, over.signal]);
    log.info({ sink: name, ...place.at }, 'this replica delivers');
    this.#isHolding = true;
    const renewing = this.#keepRenewed(over);
    try {
      await this.#deliverAll(ending);
    } finally {
      over.abort();
      await renewing;
      if (this.#lacking >= ASKED) place.move(ANEW); // the next holder, who may come when as many are there again, need not ask
      this.#isHolding = false;
      [this.#intake, this.#inHand, this.#delivered] = [undefined, [], undefined];
      [this.#behind, this.#lacking] = [0, 0];
      await place.release().catch((cause: unknown) => {
        this.#warn(cause, 'the place of a sink could not be handed back');
      });
    }
  }

  /** Also while what is in hand is finished after the word to stop. */
  async #keepRenewed(over: AbortController): Promise<void> {
    const { place } = this.parts;
    for (;;) {
      await pause(RENEW_MS, over.signal);
      if (over.signal.aborted) return;
      try {
        // Of a journal that has begun anew, nothing would come before as many are there again: it is taken up as after a restart.
        if (!(await place.renew()) || !(await this.#hasDelivered())) over.abort();
      } catch (cause) {
        this.#warn(cause, 'the place of a sink could not be kept; tried again');
      }
    }
  }

  /** @returns false when the journal has less than was delivered of it. */
  async #hasDelivered(): Promise<boolean> {
    const delivered = this.#delivered; // what is delivered meanwhile is no part of the answer
    if (delivered === undefined) return true;
    const { last } = await this.parts.journal.bounds();
    this.#behind = Math.max(0, last - delivered);
    this.#lacking = last < delivered ? this.#lacking + 1 : 0;
    return this.#lacking < ASKED;
  }

  /** Whether the journal has less than the place says, by two answers. */
  async #hasLess(ending: AbortSignal): Promise<boolean> {
    const { journal, place } = this.parts;
    const isLess = async () => (await journal.bounds()).last < place.at.sequence;
    if (!(await isLess())) return false;
    await pause(ASK_AGAIN_MS, ending);
    return isLess();
  }

  async #deliverAll(ending: AbortSignal): Promise<void> {
    const { journal, place, wants } = this.parts;
    if (await this.#hasLess(ending)) place.move(ANEW); // also for whoever takes over before anything is delivered
    const isAnew = place.at.sequence === ANEW.sequence && place.at.index === ANEW.index;
    const from: At = isAnew ? { sequence: 0, index: WHOLE } : place.at;
    const intake = new Intake(wants, from, isAnew ? 'the journal of the events has begun anew' : undefined);
    this.#intake = intake;
    const after = from.index === WHOLE ? from.sequence : from.sequence - 1;
    this.#delivered = after;
    const onNoKey = (id: string) => (this.#mayCome(id) ? intake.end() : undefined);
    const reading = journal.read({ after }, (batch) => intake.put(batch), undefined, undefined, onNoKey);
    const close = () => {
      reading.close();
      intake.close();
    };
    ending.addEventListener('abort', close);
    if (ending.aborted) close();
    for (let steps = await intake.take(this.#atOnce); steps !== undefined;) {
      if (!(await this.#deliver(steps, ending))) break;
      steps = await intake.take(this.#atOnce);
    }
    close();
  }

  /** Whether a storage key may still come: until then its place is handed back, to whoever has it. */
  #mayCome(id: string): boolean {
    const { log, name } = this.parts;
    const isNew = !this.#lateKeys.isMissed(id);
    this.#lacksKey = this.#lateKeys.mayCome(id);
    if (isNew)
      log.warn(
        { sink: name, key: id },
        'events do not open here: their storage key is missing in pki/storage; another replica may deliver them, and after five minutes they are passed over as a gap',
      );
    return this.#lacksKey;
  }

  /** @returns false when the place is another's, or it was stopped before all was delivered. */
  async #deliver(steps: readonly Step[], ending: AbortSignal): Promise<boolean> {
    const { place } = this.parts;
    const { at } = steps.at(-1) ?? place;
    this.#inHand = steps.flatMap(({ event }) => (event === undefined ? [] : [event]));
    const events = this.#inHand;
    if (!(await this.#untilTaken(events, ending))) return false;
    this.#inHand = [];
    place.move(at);
    this.#delivered = at.sequence;
    return events.length === 0 || this.#keepPlace(ending);
  }

  async #untilTaken(events: readonly Heard[], ending: AbortSignal): Promise<boolean> {
    const { destination, figures, place } = this.parts;
    if (events.length === 0) return true;
    for (let wait = FIRST_WAIT_MS; !ending.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (place.isOverdue && !(await this.#keepPlace(ending))) return false;
      try {
        await destination.deliver(events);
        figures.count('delivered', events.length);
        if (events.length >= this.#atOnce) this.#sendMore();
        return true;
      } catch (cause) {
        if (cause instanceof EventRefused) return this.#withoutOne(events, cause, ending);
        figures.count('failed', 1);
        if (cause instanceof TookTooLong && events.length > 1) return this.#inParts(events, cause, ending);
        this.#warn(cause, 'a destination took nothing; what it did not take comes again');
        await pause(wait, ending);
      }
    }
    return false;
  }

  #sendMore(): void {
    this.#atOnce = Math.min(this.parts.destination.atOnce, this.#atOnce + Math.ceil(this.#atOnce / MORE));
  }

  async #inParts(events: readonly Heard[], why: TookTooLong, ending: AbortSignal): Promise<boolean> {
    this.#atOnce = Math.ceil(events.length / 2);
    this.#warn(why, 'a destination took too long; half as many go at once');
    for (let done = 0; done < events.length;) {
      const part = events.slice(done, done + this.#atOnce);
      if (!(await this.#untilTaken(part, ending))) return false;
      done += part.length;
    }
    return true;
  }

  /** One of them is refused for good: the others are delivered. It is found by halves, since each go costs a commit, and there may be a thousand. */
  async #withoutOne(events: readonly Heard[], why: EventRefused, ending: AbortSignal): Promise<boolean> {
    const { figures, log, name } = this.parts;
    const [only] = events;
    if (events.length === 1 && only !== undefined) {
      figures.count('refused', 1);
      log.error({ sink: name, event: only.id, tag: only.tag }, `a destination refuses an event: ${why.message}`);
      return true;
    }
    const half = Math.ceil(events.length / 2);
    for (const part of [events.slice(0, half), events.slice(half)])
      if (!(await this.#untilTaken(part, ending))) return false;
    return true;
  }

  async #keepPlace(ending: AbortSignal): Promise<boolean> {
    while (!ending.aborted) {
      try {
        return await this.parts.place.renew();
      } catch (cause) {
        this.#warn(cause, 'the place of a sink could not be kept; tried again');
        await pause(FIRST_WAIT_MS, ending);
      }
    }
    return false; // it is written when the place is handed back
  }

  #warn(cause: unknown, sentence: string): void {
    const why = messageOf(cause);
    this.parts.log.warn({ sink: this.parts.name, why }, sentence);
  }
}
