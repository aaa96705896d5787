/** A journal in memory for specs: it keeps what is appended, and the spec says how it is read. */
import type { Journal, JournalMessage, Reading } from '@natrium/bus';

export abstract class KeptJournal implements Journal {
  readonly name = 'kept';
  protected readonly messages: JournalMessage[] = [];

  append(subject: string, value: Uint8Array, _expectedLast?: number): Promise<number | undefined> {
    const sequence = this.messages.length + 1;
    this.messages.push({ sequence, subject, value, behind: 0 });
    return Promise.resolve(sequence);
  }

  lastOn(subject: string): Promise<JournalMessage | undefined> {
    return Promise.resolve(this.messages.findLast((message) => message.subject === subject));
  }

  bounds() {
    return Promise.resolve({ first: 1, last: this.messages.length });
  }

  abstract read(
    from: unknown,
    onMessage: (message: JournalMessage) => Promise<void> | void,
    onNothing?: () => void,
  ): Reading;
}
