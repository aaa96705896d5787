/**
 * Events in the journal: batches of one sender each, whose numbers rise. A number that is not above the last stored one of
 * its sender is there already and is dropped; the journal's own condition makes that hold among any number of writers.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#events.
 */
import {
  type Journal,
  type JournalMessage,
  type Reading,
  type ReadFrom,
  StoredCorrupt,
  Unstorable,
} from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { isMap, messageOf } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import { cursorText } from '../event/cursor.js';
import { GAP_TAG, type Heard } from '../event/event.js';
import { BySender } from './by-sender.js';

type StoredEvent = records.StoredEvent;

/** A batch as the journal gives it back. */
export interface LoggedBatch {
  readonly sequence: number;
  readonly sender: string;
  readonly through: number;
  readonly events: readonly StoredEvent[];
}

/** One that was just stored or read, with the bytes of it that are stored. */
export interface EncodedBatch extends LoggedBatch {
  readonly encoded: Uint8Array;
}

interface Place {
  readonly sequence: number;
  readonly through: number;
  /** What is stored there does not open: nobody knows which number it reached. */
  readonly isLost?: true;
}

const RACES = 16;

export class EventLog {
  readonly #places = new BySender<Place>();
  readonly #hearers = new Set<(batch: EncodedBatch) => void>();
  readonly #followers = new Set<(batch: LoggedBatch) => void>();

  constructor(
    private readonly journal: Journal,
    private readonly subjectOf: (sender: string) => string,
  ) {}

  /**
   * Stores what is new of these events; resolves with the number up to which this sender's events are settled.
   *
   * @throws {Error} When it is not known whether they were stored: storing them again is safe.
   * @throws {Unstorable} When no later try stores them all.
   */
  async append(sender: string, events: readonly StoredEvent[], through: number): Promise<number> {
    for (let race = 0; race < RACES; race += 1) {
      const place = await this.#placeOf(sender);
      const fresh = events.filter(({ number }) => number > place.through);
      const [next] = fresh;
      if (next === undefined) return Math.max(place.through, through);
      const batch = { sender, through, events: place.isLost === true ? [gapBefore(next, fresh), ...fresh] : fresh };
      const encoded = bytesOf(batch);
      this.#places.delete(sender); // unknown until it is known
      const sequence = await this.journal.append(this.subjectOf(sender), encoded, place.sequence);
      if (sequence !== undefined) {
        this.#places.set(sender, { sequence, through });
        for (const hear of this.#hearers) hear({ sequence, encoded, ...batch });
        return through;
      }
    }
    throw new Error(`other gateways store events of ${sender} all the time`);
  }

  /**
   * The same, but what cannot be stored is left out, so that it holds up nothing else: half of the events are tried, until it is alone.
   *
   * @throws {Error} When it is not known whether they were stored.
   */
  async appendStorable(
    sender: string,
    events: readonly StoredEvent[],
    onUnstorable: (event: StoredEvent, cause: Unstorable) => void,
  ): Promise<void> {
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined) return;
    try {
      await this.append(sender, events, last.number);
    } catch (cause) {
      if (!(cause instanceof Unstorable)) throw cause;
      if (first === last) onUnstorable(first, cause);
      else {
        const half = Math.floor(events.length / 2);
        await this.appendStorable(sender, events.slice(0, half), onUnstorable);
        await this.appendStorable(sender, events.slice(half), onUnstorable);
      }
    }
  }

  /**
   * Lets one more hear of each batch that is stored from here, as soon as it is: reading it back takes the broker another turn.
   *
   * @returns Ends that.
   */
  whenStored(hear: (batch: EncodedBatch) => void): () => void {
    this.#hearers.add(hear);
    return () => {
      this.#hearers.delete(hear);
    };
  }

  /** The number of the last event of this sender that is settled; 0 for none, or where that does not open. */
  async lastOf(sender: string): Promise<number> {
    return (await this.#placeOf(sender)).through;
  }

  /** The last batch of a sender, where it opens. */
  async lastBatch(sender: string): Promise<LoggedBatch | undefined> {
    const last = await this.#lastOf(sender);
    return last instanceof StoredCorrupt ? undefined : last;
  }

  /** A batch was read that another writer may have stored: the next of its sender goes after it, without asking where that is. */
  heard(batch: LoggedBatch): void {
    const { sender, sequence, through } = batch;
    if (sequence > (this.#places.get(sender)?.sequence ?? 0)) this.#places.set(sender, { sequence, through });
    for (const hear of this.#followers) hear(batch);
  }

  /**
   * Lets one more hear of each batch once, in the journal's order, whichever gateway stored it and whether anybody listens to the bus.
   *
   * @param hear Throws nothing.
   */
  whenHeard(hear: (batch: LoggedBatch) => void): void {
    this.#followers.add(hear);
  }

  bounds(): Promise<{ readonly first: number; readonly last: number }> {
    return this.journal.bounds();
  }

  /**
   * @param isKnown Batches that need not be read, by their sequence.
   * @param onNoKey Takes the turn of one whose storage key is not here, by the key's id.
   */
  read(
    from: ReadFrom,
    onBatch: (batch: EncodedBatch) => Promise<void> | void,
    onNothing?: () => void,
    isKnown: (sequence: number) => boolean = () => false,
    onNoKey?: (id: string) => Promise<void> | void,
  ): Reading {
    return this.journal.read(
      from,
      (message) => (isKnown(message.sequence) ? undefined : onBatch(readBatch(message))),
      onNothing,
      onNoKey,
    );
  }

  async #placeOf(sender: string): Promise<Place> {
    const known = this.#places.get(sender);
    if (known !== undefined) return known;
    const last = await this.#lastOf(sender);
    const place: Place =
      last instanceof StoredCorrupt
        ? { sequence: last.revision ?? 0, through: 0, isLost: true }
        : { sequence: last?.sequence ?? 0, through: last?.through ?? 0 };
    this.#places.set(sender, place);
    return place;
  }

  /** A key of the storage that is in no backup must not silence its senders for as long as events are kept. */
  async #lastOf(sender: string): Promise<LoggedBatch | StoredCorrupt | undefined> {
    try {
      const message = await this.journal.lastOn(this.subjectOf(sender));
      return message === undefined ? undefined : readBatch(message);
    } catch (cause) {
      if (cause instanceof StoredCorrupt) return cause;
      throw cause;
    }
  }
}

/** The marker in the place of what does not open. */
function gapBefore({ number, stamp }: StoredEvent, events: readonly StoredEvent[]): StoredEvent {
  const id = events.find(({ origin }) => origin.kind === 'minion')?.origin.name;
  const why = 'what was stored before does not open with any storage key';
  const [tag, data] = id === undefined ? [GAP_TAG, { why }] : [`${GAP_TAG}/minion/${id}`, { id, why }];
  return { number: Math.max(0, number - 1), tag, data, stamp, origin: { kind: 'service', name: 'event bus' } };
}

/** Whatever is thrown here is of the events themselves. */
function bytesOf(batch: records.EventBatch): Uint8Array {
  try {
    return encode(writeAs(records.EventBatch, batch) as Wire);
  } catch (cause) {
    throw new Unstorable(messageOf(cause), { cause });
  }
}

function readBatch({ sequence, value }: JournalMessage): EncodedBatch {
  return { sequence, encoded: value, ...readEncoded(value) };
}

export function readEncoded(encoded: Uint8Array): records.EventBatch {
  return readAs(records.EventBatch, decode(encoded));
}

/** A stored event as listeners hear it. */
export function heardFrom(sender: string, event: StoredEvent, cursor: string, bytes?: number): Heard {
  const { tag, data, stamp, origin, number } = event;
  return { tag, data: isMap(data) ? data : {}, stamp, origin, cursor, id: `${sender}.${String(number)}`, bytes };
}

/** Every event of a batch, each with its place. */
export function eventsOf(batch: LoggedBatch): readonly Heard[] {
  return batch.events.map((event, index) => heardFrom(batch.sender, event, cursorText(batch.sequence, index)));
}
