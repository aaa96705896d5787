/** Two gateways store what one sender sends, each without asking the broker where the other one stopped. */
import { type JournalMessage, MemoryJournal, SealedJournal } from '@natrium/bus';
import { sodiumReady, type StorageKey } from '@natrium/envelope';
import { EventLog } from './event-log.js';

/** Counts who asks for the last message, and whose append came too late. */
class Pages extends MemoryJournal {
  asked = 0;
  refused = 0;

  override async append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    const sequence = await super.append(subject, value, expectedLast);
    if (sequence === undefined) this.refused += 1;
    return sequence;
  }

  override lastOn(subject: string): Promise<JournalMessage | undefined> {
    this.asked += 1;
    return super.lastOn(subject);
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

it('whoever asks to hear what has come from the journal hears it, whichever gateway stored it, and not what is only stored', async () => {
  const heard: unknown[] = [];
  here.whenHeard(({ sender, events }) => heard.push([sender, events.map(({ number }) => number)]));
  await here.append('a', [anEvent(1)], 1);
  expect(heard).toEqual([]);
  here.heard(await lastThere());
  await there.append('a', [anEvent(2)], 2);
  here.heard(await lastThere());
  expect(heard).toEqual([
    ['a', [1]],
    ['a', [2]],
  ]);
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

describe('the last batch of a sender, whose storage key is lost', () => {
  const [LOST, NEXT]: readonly StorageKey[] = ['lost', 'next'].map((id, n) => ({
    id,
    key: new Uint8Array(32).fill(n),
  }));
  const STORED_AT = 2;
  let alerts: (number | undefined)[];

  const logWith = (key: StorageKey | undefined) => {
    if (key === undefined) throw new Error('no key');
    const keys = { newest: key, byId: (id: string) => (id === key.id ? key : undefined) };
    const journal = new SealedJournal(pages, keys, ({ revision }) => alerts.push(revision));
    return new EventLog(journal, (sender) => sender);
  };

  beforeAll(sodiumReady);
  beforeEach(async () => {
    alerts = [];
    await logWith(LOST).append('b', [anEvent(1)], 1);
    await logWith(LOST).append('a', [anEvent(7)], 7);
  });

  it('silences nobody: the next one is stored behind a gap, once, and whose does not open is told', async () => {
    const log = logWith(NEXT);
    expect(await log.append('a', [anEvent(8)], 8)).toBe(8);
    expect((await log.lastBatch('a'))?.events.map(({ number, tag }) => [number, tag])).toEqual([
      [7, 'natrium/gap/minion/a'],
      [8, 't'],
    ]);
    expect(alerts).toEqual([STORED_AT]);
    await log.append('a', [anEvent(9)], 9);
    expect((await log.lastBatch('a'))?.events.map(({ tag }) => tag)).toEqual(['t']);
    expect(await log.append('a', [anEvent(8), anEvent(9)], 9)).toBe(9);
    expect(pages.messages).toHaveLength(STORED_AT + 2);
  });

  it('is stored after what is there, by one of two who find it lost, and the other one stores nothing', async () => {
    const [first, second] = [logWith(NEXT), logWith(NEXT)];
    await Promise.all([first.lastOf('a'), second.lastOf('a')]);
    expect(await Promise.all([first, second].map((log) => log.append('a', [anEvent(8)], 8)))).toEqual([8, 8]);
    expect([pages.messages.length, pages.refused]).toEqual([STORED_AT + 1, 1]);
  });

  it('is none that anybody can read, and of no known number', async () => {
    expect([await logWith(NEXT).lastBatch('a'), await logWith(NEXT).lastOf('a')]).toEqual([undefined, 0]);
    expect(await logWith(LOST).lastOf('a')).toBe(7);
  });

  it('of a sender that is no minion leaves the gap of everybody', async () => {
    const log = logWith(NEXT);
    await log.append('b', [{ ...anEvent(2), origin: { kind: 'service', name: 'gateway' } }], 2);
    expect((await log.lastBatch('b'))?.events.map(({ tag }) => tag)).toEqual(['natrium/gap', 't']);
  });
});
