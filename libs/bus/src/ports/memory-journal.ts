/** A journal in memory for tests; it keeps the same contract as the one on JetStream (`journal.contract.ts`). */
import type { Journal, JournalMessage, ReadFrom, Reading } from './journal.js';

export class MemoryJournal implements Journal {
  readonly messages: JournalMessage[] = [];
  readonly #times: number[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(
    readonly name = 'memory',
    private readonly now: () => number = Date.now,
  ) {}

  append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    if ((this.#lastOn(subject)?.sequence ?? 0) !== expectedLast) return Promise.resolve(undefined);
    const sequence = this.messages.length + 1;
    this.messages.push({ sequence, subject, value, behind: 0 });
    this.#times.push(this.now());
    this.#wake();
    return Promise.resolve(sequence);
  }

  lastOn(subject: string): Promise<JournalMessage | undefined> {
    return Promise.resolve(this.#lastOn(subject));
  }

  bounds(): Promise<{ readonly first: number; readonly last: number }> {
    return Promise.resolve({ first: 1, last: this.messages.length });
  }

  read(...[from, onMessage, onNothing]: Parameters<Journal['read']>): Reading {
    const reading = { isClosed: false };
    void this.#readOn(reading, this.#before(from), onMessage, onNothing);
    return {
      close: () => {
        reading.isClosed = true;
        this.#wake();
      },
    };
  }

  async #readOn(
    reading: { readonly isClosed: boolean },
    before: number,
    onMessage: (message: JournalMessage) => Promise<void> | void,
    onNothing?: () => void,
  ): Promise<void> {
    let read = before;
    if (read >= this.messages.length) onNothing?.();
    while (!reading.isClosed) {
      const message = this.messages[read];
      if (message === undefined) await new Promise<void>((resolve) => this.#waiting.add(resolve));
      else {
        read += 1;
        await onMessage({ ...message, behind: this.messages.length - read });
      }
    }
  }

  /** How many messages are passed over. */
  #before(from: ReadFrom): number {
    if ('after' in from) return from.after;
    const since = 'at' in from ? from.at : 'since' in from ? from.since : undefined;
    if (since !== undefined) return this.#times.filter((time) => time < since).length;
    return 'now' in from ? this.messages.length : 0;
  }

  #lastOn(subject: string): JournalMessage | undefined {
    return this.messages.findLast((message) => message.subject === subject);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
