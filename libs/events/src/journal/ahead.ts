/**
 * What one bus has told before the journal gave it back, by sender: its gateway's own events, and those of minions that came
 * to this gateway. Each is told once, whichever way it comes later.
 */
import { encode, equalBytes, type Wire } from '@natrium/envelope';
import { records, writeAs } from '@natrium/wire';
import { BySender } from './by-sender.js';

type StoredEvent = records.StoredEvent;

/** Senders that may be ahead at once: a cursor names each of them. */
const MOST_SENDERS = 4;
/** An event that is not stored so long after it was told, while others' are, may never be: its minion is gone, or withholds it. */
const LATE_MS = 60_000;

export class Ahead {
  readonly #told = new Map<string, StoredEvent[]>();
  /** By minion, when the first of its events that are ahead was told, as `now` tells it. */
  readonly #since = new Map<string, number>();
  /** When the journal last gave back anything. */
  #readAt = 0;
  readonly #last = new Map<string, number>();
  /** By sender, the number through which the journal has given it back. */
  readonly #through = new BySender<number>();

  /** @param own This sender, the gateway itself, keeps its place. */
  constructor(
    private readonly own: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The last number told of each sender that is ahead: a part of every cursor. */
  get last(): ReadonlyMap<string, number> {
    return this.#last;
  }

  /** The number from which a minion's events may be told now: all that it fired before was, and is stored. */
  nextOf(sender: string): number | undefined {
    const through = this.#through.get(sender);
    if (through === undefined || this.#told.has(sender)) return undefined;
    return this.#told.size < MOST_SENDERS || this.#makesRoom() ? through + 1 : undefined;
  }

  /** Gives up a minion whose events are late. If they are stored after all they are heard again; until then none of it is told early. */
  #makesRoom(): boolean {
    for (const [sender, since] of this.#since) {
      if (this.#readAt - since < LATE_MS) continue;
      this.#forget(sender);
      this.#through.delete(sender);
      return true;
    }
    return false;
  }

  #forget(sender: string): void {
    this.#told.delete(sender);
    this.#last.delete(sender);
    this.#since.delete(sender);
  }

  /** From here on a cursor says that this event is told. */
  tell(sender: string, stored: StoredEvent): void {
    this.#last.set(sender, stored.number);
    const told = this.#told.get(sender);
    if (told !== undefined) told.push(stored);
    else {
      this.#told.set(sender, [stored]);
      if (sender !== this.own) this.#since.set(sender, this.now());
    }
  }

  /** Up to which number the journal has given back what this sender fired; 0 where that is not known. */
  throughOf(sender: string): number {
    return this.#through.get(sender) ?? 0;
  }

  /** The journal gives back what this sender fired up to a number. @returns What was told of it. */
  readBack(sender: string, through: number): readonly StoredEvent[] {
    this.#through.set(sender, through);
    this.#readAt = this.now();
    const told = this.#told.get(sender) ?? [];
    const kept = told.findIndex(({ number }) => number > through);
    const back = told.splice(0, kept === -1 ? told.length : kept);
    if (told.length === 0) this.#forget(sender);
    return back;
  }

  /** All that is ahead, each sender's in its order. */
  *[Symbol.iterator](): Generator<readonly [sender: string, stored: StoredEvent]> {
    for (const [sender, told] of this.#told) for (const stored of told) yield [sender, stored];
  }
}

/** Tells whether an event was told just as it is stored: a minion could give one number to two events, and send each to another gateway. */
export function toldAmong(told: readonly StoredEvent[]): (event: StoredEvent | undefined) => boolean {
  const byNumber = new Map(told.map((event) => [event.number, event]));
  return (event) => event !== undefined && isSame(event, byNumber.get(event.number));
}

function isSame(event: StoredEvent, told: StoredEvent | undefined): boolean {
  return event === told || (told !== undefined && equalBytes(bytesOf(event), bytesOf(told)));
}

function bytesOf(event: StoredEvent): Uint8Array {
  return encode(writeAs(records.StoredEvent, event) as Wire);
}
