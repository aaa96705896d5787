/** What a gateway stores for a minion is heard there at once, and still in the journal's order and once. */
import type { Journal, JournalMessage, Reading } from '@natrium/bus';
import { EventLog } from './event-log.js';
import { JournaledBus } from './journaled-bus.js';

/** A journal that gives back what it holds only when the test says so. */
class SlowPages implements Journal {
  readonly name = 'pages';
  readonly #messages: JournalMessage[] = [];
  #tell: (message: JournalMessage) => void = () => undefined;
  #told = 0;

  append(subject: string, value: Uint8Array): Promise<number | undefined> {
    const sequence = this.#messages.length + 1;
    this.#messages.push({ sequence, subject, value, behind: 0 });
    return Promise.resolve(sequence);
  }

  lastOn(subject: string): Promise<JournalMessage | undefined> {
    return Promise.resolve(this.#messages.findLast((message) => message.subject === subject));
  }

  bounds() {
    return Promise.resolve({ first: 1, last: this.#messages.length });
  }

  read(_: unknown, onMessage: (message: JournalMessage) => void): Reading {
    this.#tell = onMessage;
    return { close: () => undefined };
  }

  /** What is read from now on cannot be decoded. */
  spoil(): void {
    for (const [at, message] of this.#messages.entries())
      this.#messages[at] = { ...message, value: Uint8Array.of(0xc1) };
  }

  giveBack(): void {
    for (const message of this.#messages.slice(this.#told)) this.#tell(message);
    this.#told = this.#messages.length;
  }
}

const anEvent = (number: number, tag: string) => ({
  number,
  tag,
  data: {},
  stamp: '2026-01-01T00:00:00.000000',
  origin: { kind: 'minion' as const, name: 'a' },
});

async function aBus() {
  const pages = new SlowPages();
  const log = new EventLog(pages, (sender) => sender);
  const bus = await JournaledBus.open({
    log,
    sender: 'gw-1',
    maxBytes: 1 << 20,
    now: () => 0,
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
  const listening = bus.subscribe();
  const elsewhere = new EventLog(pages, (sender) => sender);
  const end = async () => {
    await bus.close();
    const tags: string[] = [];
    for await (const { tag } of listening) tags.push(tag);
    return tags;
  };
  return { pages, log, elsewhere, listening, end };
}

it('a batch that is stored here is heard before the journal gives it back, and not again when it does', async () => {
  const { pages, log, listening, end } = await aBus();
  await log.append('a', [anEvent(1, 't/1'), anEvent(2, 't/2')], 2);
  expect((await listening.take())?.map(({ tag, cursor }) => [tag, cursor])).toEqual([
    ['t/1', '1.0'],
    ['t/2', '1.1'],
  ]);
  pages.giveBack();
  await log.append('a', [anEvent(3, 't/3')], 3);
  expect(await end()).toEqual(['t/3']);
});

it('a batch that was heard when it was stored is not even decoded when the journal gives it back', async () => {
  const { pages, log, end } = await aBus();
  await log.append('a', [anEvent(1, 't/1')], 1);
  pages.spoil();
  pages.giveBack();
  expect(await end()).toEqual(['t/1']);
});

it('a batch that another gateway stored before is heard before it', async () => {
  const { pages, log, elsewhere, end } = await aBus();
  await elsewhere.append('b', [anEvent(1, 'there')], 1);
  await log.append('a', [anEvent(1, 'here')], 1);
  pages.giveBack();
  expect(await end()).toEqual(['there', 'here']);
});
