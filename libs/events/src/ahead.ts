/**
 * What one bus has told before the journal gave it back, by sender: its gateway's own events, and those of minions that came
 * to this gateway. Each is told once, whichever way it comes later.
 */
import { encode, equalBytes, type Wire } from '@natrium/envelope';
import { records, writeAs } from '@natrium/wire';
import type { Heard } from './event.js';

type StoredEvent = records.StoredEvent;

interface Told {
  readonly stored: StoredEvent;
  readonly heard: Heard;
}

/** As many senders at once: a cursor names each of them. */
const MOST_SENDERS = 4;
const MAX_SENDERS = 20_000;

export class Ahead {
  readonly #told = new Map<string, Told[]>();
  readonly #last = new Map<string, number>();
  /** By sender, the number through which the journal has given it back. */
  readonly #through = new Map<string, number>();

  /** The last number told of each sender that is ahead: a part of every cursor. */
  get last(): ReadonlyMap<string, number> {
    return this.#last;
  }

  /** The number from which a minion's events may be told now: all that it fired before was, and is stored. */
  nextOf(sender: string): number | undefined {
    const through = this.#through.get(sender);
    const isFull = this.#told.size >= MOST_SENDERS || this.#told.has(sender);
    return isFull || through === undefined ? undefined : through + 1;
  }

  /** @param hear Makes what is heard, whose cursor says that this event is told. */
  tell(sender: string, stored: StoredEvent, hear: () => Heard): Heard {
    this.#last.set(sender, stored.number);
    const heard = hear();
    const told = this.#told.get(sender);
    if (told === undefined) this.#told.set(sender, [{ stored, heard }]);
    else told.push({ stored, heard });
    return heard;
  }

  /** The journal gives back what this sender fired up to a number. @returns What was told of it. */
  readBack(sender: string, through: number): readonly StoredEvent[] {
    this.#remember(sender, through);
    const told = this.#told.get(sender) ?? [];
    const kept = told.findIndex(({ stored }) => stored.number > through);
    const back = told.splice(0, kept === -1 ? told.length : kept);
    if (told.length === 0) {
      this.#told.delete(sender);
      this.#last.delete(sender);
    }
    return back.map(({ stored }) => stored);
  }

  #remember(sender: string, through: number): void {
    if (this.#through.size >= MAX_SENDERS) this.#through.delete(this.#through.keys().next().value ?? '');
    this.#through.delete(sender); // the latest are kept
    this.#through.set(sender, through);
  }

  /** All that is ahead, each sender's in its order. */
  *[Symbol.iterator](): Generator<readonly [sender: string, heard: Heard]> {
    for (const [sender, told] of this.#told) for (const { heard } of told) yield [sender, heard];
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
