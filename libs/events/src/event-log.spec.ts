/** Two gateways store what one sender sends, each without asking the broker where the other one stopped. */
import type { Journal, JournalMessage } from '@natrium/bus';
import { EventLog } from './event-log.js';

/** A journal's promise and nothing more: one order, and an append only after the message that the writer names. */
class Pages implements Journal {
  readonly name = 'pages';
  readonly messages: JournalMessage[] = [];
  asked = 0;
  refused = 0;

  append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    const last = this.messages.findLast((message) => message.subject === subject)?.sequence ?? 0;
    if (last !== expectedLast) {
      this.refused += 1;
      return Promise.resolve(undefined);
    }
    const sequence = this.messages.length + 1;
    this.messages.push({ sequence, subject, value, behind: 0 });
    return Promise.resolve(sequence);
  }

  lastOn(subject: string): Promise<JournalMessage | undefined> {
    this.asked += 1;
    return Promise.resolve(this.messages.findLast((message) => message.subject === subject));
  }

  bounds() {
    return Promise.resolve({ first: 1, last: this.messages.length });
  }

  read() {
    return { close: () => undefined };
  }
}

const anEvent = (number: number) => ({
  number,
  tag: 't',
  data: {},
  stamp: '2026-01-01T00:00:00.000000',
  origin: { kind: 'minion' as const, name: 'a' },
});
let pages: Pages;
let here: EventLog;
let there: EventLog;
beforeEach(() => {
  pages = new Pages();
  [here, there] = [new EventLog(pages, (sender) => sender), new EventLog(pages, (sender) => sender)];
});
const lastThere = async () => {
  const batch = await there.lastBatch('a');
  if (batch === undefined) throw new Error('nothing is stored');
  return batch;
};

it('the next batch goes after the one that was read, at once', async () => {
  await here.append('a', [anEvent(1)], 1);
  await there.append('a', [anEvent(2)], 2);
  here.heard(await lastThere());
  pages.asked = 0;
  expect(await here.append('a', [anEvent(3)], 3)).toBe(3);
  expect([pages.asked, pages.refused, pages.messages.length]).toEqual([0, 0, 3]);
});

it('a batch that comes again at the other gateway is stored once, whether that has read it or not', async () => {
  await here.append('a', [anEvent(1)], 1);
  expect(await there.append('a', [anEvent(1)], 1)).toBe(1);
  await there.append('a', [anEvent(2)], 2);
  expect(await here.append('a', [anEvent(2)], 2)).toBe(2);
  here.heard(await lastThere());
  expect(await here.append('a', [anEvent(2)], 2)).toBe(2);
  expect(pages.messages).toHaveLength(2);
});

it('whoever asks to hear what is stored here hears it, beside the others and until its own end', async () => {
  const heard: string[] = [];
  const hear = (who: string) => here.whenStored(({ sequence }) => heard.push(`${who}${String(sequence)}`));
  const endFirst = hear('first ');
  hear('second ');
  await here.append('a', [anEvent(1)], 1);
  await there.append('a', [anEvent(2)], 2);
  endFirst();
  here.heard(await lastThere());
  await here.append('a', [anEvent(3)], 3);
  expect(heard).toEqual(['first 1', 'second 1', 'second 3']);
});
