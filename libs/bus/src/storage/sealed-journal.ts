/** A journal whose messages are sealed at rest, each to its place. Spec: spec/envelope.md#storage. */
import { openStored, sealStored, storedKeyId } from '@natrium/envelope';
import type { Journal, JournalMessage, ReadFrom, Reading } from '../ports/journal.js';
import { type StorageKeys, StoredCorrupt } from './sealed-store.js';

export class SealedJournal implements Journal {
  constructor(
    private readonly journal: Journal,
    private readonly keys: StorageKeys,
    /** Told of messages that did not open; they are left out. */
    private readonly onCorrupt: (error: StoredCorrupt) => void,
  ) {}

  get name(): string {
    return this.journal.name;
  }

  append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    return this.journal.append(subject, sealStored(this.keys.newest, this.#place(subject), value), expectedLast);
  }

  /** @throws {StoredCorrupt} With its sequence, when it does not open: whoever takes it for lost can write after it. */
  async lastOn(subject: string): Promise<JournalMessage | undefined> {
    const message = await this.journal.lastOn(subject);
    if (message === undefined) return undefined;
    const opened = this.#open({ ...message, subject });
    if (opened !== undefined) return opened;
    // Whoever asks for the last of a sender must not take an edited one for none.
    const lost = new StoredCorrupt(this.#place(subject), message.sequence);
    this.onCorrupt(lost);
    throw lost;
  }

  bounds(): Promise<{ readonly first: number; readonly last: number }> {
    return this.journal.bounds();
  }

  read(
    from: ReadFrom,
    onMessage: (message: JournalMessage) => Promise<void> | void,
    onNothing?: () => void,
    onNoKey?: (id: string) => Promise<void> | void,
  ): Reading {
    let toTell = onNothing;
    const tellNothing = () => {
      toTell?.();
      toTell = undefined;
    };
    const opening = (message: JournalMessage) => {
      const opened = this.#open(message);
      if (opened !== undefined) return onMessage(opened);
      this.onCorrupt(new StoredCorrupt(this.#place(message.subject), message.sequence));
      // Nobody waits for the end of what does not open.
      if (message.behind === 0) tellNothing();
      const id = storedKeyId(message.value);
      return id === undefined || this.keys.byId(id) !== undefined ? undefined : onNoKey?.(id);
    };
    return this.journal.read(from, opening, onNothing === undefined ? undefined : tellNothing);
  }

  #open(message: JournalMessage): JournalMessage | undefined {
    const opened = openStored((id) => this.keys.byId(id), this.#place(message.subject), message.value);
    return opened.ok ? { ...message, value: opened.value } : undefined;
  }

  #place(subject: string): string {
    return `${this.name}/${subject}`;
  }
}
