/**
 * Which messages of whom were opened already: bounded, and never forgetting one that could still be replayed.
 *
 * Kept in memory for each sender; an entry goes only when its message is no longer fresh. A sender whose set is full is
 * told to slow down, and so is a new sender when the table is, which costs the others nothing.
 *
 * Spec: spec/envelope.md#opening.
 */
import { mapKey } from './bytes.js';

export type Seen = 'new' | 'replayed' | 'slow_down';

export interface SeenLimits {
  /** Messages kept of one sender. */
  readonly perSender: number;
  /** Senders kept. */
  readonly senders: number;
}

/** Milliseconds. To look through a full table takes one or two, and every new sender asks for it. */
const LOOK_AGAIN_MS = 100;

export class SeenSets {
  readonly #senders = new Map<string, SeenSet>();
  /** When the full table was last looked through for senders who may be forgotten. */
  #lookedAt = -Infinity;

  constructor(private readonly limits: SeenLimits) {}

  /**
   * Tells whether a message is new, and remembers it when it is.
   *
   * @param keepUntil Time in ms from which the message would be refused as stale anyway.
   */
  admit(sender: string, messageId: Uint8Array, keepUntil: number, now: number): Seen {
    const set = this.#senders.get(sender) ?? this.#addSender(sender, now);
    return set === undefined ? 'slow_down' : set.admit(mapKey(messageId), keepUntil, now);
  }

  /** Forgets what would be refused as stale anyway. @returns How many messages are still remembered. */
  forgetEnded(now: number): number {
    this.#forgetIdle(now);
    return [...this.#senders.values()].reduce((sum, set) => sum + set.forgetEnded(now), 0);
  }

  #addSender(sender: string, now: number): SeenSet | undefined {
    // A clock may have been set back since.
    const isDue = Math.abs(now - this.#lookedAt) >= LOOK_AGAIN_MS;
    if (this.#senders.size >= this.limits.senders && isDue) {
      this.#lookedAt = now;
      this.#forgetIdle(now);
    }
    if (this.#senders.size >= this.limits.senders) return undefined;
    const set = new SeenSet(this.limits.perSender);
    this.#senders.set(sender, set);
    return set;
  }

  #forgetIdle(now: number): void {
    for (const [sender, set] of this.#senders) if (set.isIdle(now)) this.#senders.delete(sender);
  }
}

class SeenSet {
  /** By message id, in order of arrival: until when it is kept. */
  readonly #kept = new Map<string, number>();
  /** The latest time until which anything is kept: from then on the whole set may be forgotten. */
  #lastEnd = 0;
  /** The end of the oldest entry, or of one that was older: before this time the oldest need not be looked at. */
  #oldestEnd = 0;
  /** No entry ends before this time: a full set need not be looked through sooner. */
  #nextEnd = 0;

  constructor(private readonly max: number) {}

  admit(id: string, keepUntil: number, now: number): Seen {
    if (this.#kept.has(id)) return 'replayed';
    if (now >= this.#oldestEnd) this.#dropOldest(now);
    if (this.#kept.size >= this.max) this.#dropEnded(now);
    if (this.#kept.size >= this.max) return 'slow_down';
    this.#kept.set(id, keepUntil);
    this.#lastEnd = Math.max(this.#lastEnd, keepUntil);
    this.#nextEnd = Math.min(this.#nextEnd, keepUntil);
    return 'new';
  }

  isIdle(now: number): boolean {
    return now >= this.#lastEnd;
  }

  forgetEnded(now: number): number {
    this.#dropEnded(now);
    return this.#kept.size;
  }

  /** Entries mostly end in the order in which they came: dropping up to two for each new one keeps the set small at a constant price. */
  #dropOldest(now: number): void {
    // Nothing here counts any more, however much a busy minute has left.
    if (this.isIdle(now)) this.#kept.clear();
    let left = 2;
    for (const [id, end] of this.#kept) {
      this.#oldestEnd = end;
      if (left === 0 || now < end) return;
      this.#kept.delete(id);
      left -= 1;
    }
  }

  #dropEnded(now: number): void {
    if (now < this.#nextEnd) return;
    let next = Infinity;
    for (const [id, end] of this.#kept) {
      if (now >= end) this.#kept.delete(id);
      else next = Math.min(next, end);
    }
    this.#nextEnd = next;
  }
}
