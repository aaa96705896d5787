/** What a gateway stores for a minion is heard there at once, and still in the journal's order and once. */
import { type JournalMessage, MemoryJournal, type Reading, Unstorable } from '@natrium/bus';
import { decode } from '@natrium/envelope';
import type { ValueMap } from '@natrium/model';
import { readAs, records } from '@natrium/wire';
import { NotStored } from '../buses/bus.js';
import type { Origin } from '../event/event.js';
import { EventLog } from './event-log.js';
import { JournaledBus } from './journaled-bus.js';

const ORIGIN = { kind: 'local', name: 'hook' } as const;

/** A journal that gives back what it holds only when the test says so. */
class SlowPages extends MemoryJournal {
  largest = Infinity;
  #tell: (message: JournalMessage) => void = () => undefined;
  #told = 0;

  /** What is appended from now on is never stored. */
  isStuck = false;

  /** So many more are refused. */
  refusals = 0;

  whenAppended: () => void = () => undefined;

  override append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    if (value.length > this.largest) return Promise.reject(new Unstorable('too large'));
    if (this.isStuck) return new Promise(() => undefined);
    if (this.refusals > 0) {
      this.refusals -= 1;
      return Promise.reject(new Error('the broker takes no writes'));
    }
    const appended = super.append(subject, value, expectedLast);
    this.whenAppended();
    return appended;
  }

  override read(_: unknown, onMessage: (message: JournalMessage) => void): Reading {
    this.#tell = onMessage;
    return { close: () => undefined };
  }

  tags(): readonly string[] {
    return this.messages.flatMap(({ value }) => {
      const { events } = readAs(records.EventBatch, decode(value));
      return events.map(({ tag }) => tag);
    });
  }

  /** What is read from now on cannot be decoded. */
  spoil(): void {
    for (const [at, message] of this.messages.entries()) this.messages[at] = { ...message, value: Uint8Array.of(0xc1) };
  }

  giveBack(): void {
    for (const message of this.messages.slice(this.#told)) this.#tell(message);
    this.#told = this.messages.length;
  }
}

const anEvent = (number: number, tag: string) => ({
  number,
  tag,
  data: {},
  stamp: '2026-01-01T00:00:00.000000',
  origin: { kind: 'minion' as const, name: 'a' },
});

async function aBus(
  onProblem: (problem: string) => void = (problem) => {
    throw new Error(problem);
  },
  wait?: () => Promise<void>,
) {
  const pages = new SlowPages();
  const log = new EventLog(pages, (sender) => sender);
  const bus = await JournaledBus.open({
    log,
    sender: 'gw-1',
    maxBytes: 1 << 20,
    now: () => 0,
    onProblem,
    ...(wait && { easing: { wait } }),
  });
  const listening = bus.subscribe();
  const elsewhere = new EventLog(pages, (sender) => sender);
  const end = async () => {
    await bus.close();
    const tags: string[] = [];
    for await (const { tag } of listening) tags.push(tag);
    return tags;
  };
  return { bus, pages, log, elsewhere, listening, end };
}

it('what a service tells when the bus is closed is not stored, and that is said with its tag', async () => {
  const problems: string[] = [];
  const { bus, pages, end } = await aBus((problem) => {
    problems.push(problem);
  });
  bus.announce('t/before', {}, ORIGIN);
  await end();
  bus.announce('t/after', {}, ORIGIN);
  expect([pages.tags(), problems]).toEqual([['t/before'], ['the event t/after was not fired']]);
});

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

const LOCAL = { kind: 'local', name: 'master' } as const;
const HALF = '\udcff';

it.each<[string, ValueMap, string]>([
  ['a text that is half a character', { f: HALF }, 'not valid Unicode at data.f'],
  ['the key that is the prototype', JSON.parse('{"__proto__": 1}') as ValueMap, 'a key is __proto__'],
])('an event with %s is refused and nobody hears it; what is fired after it is stored', async (_, data, why) => {
  const { bus, elsewhere, end } = await aBus();
  await expect(bus.fire('bad', data, LOCAL)).rejects.toThrow(why);
  await bus.fire('good', {}, LOCAL);
  expect((await elsewhere.lastBatch('gw-1'))?.events.map(({ tag }) => tag)).toEqual(['good']);
  expect(await end()).toEqual(['good']);
});

describe('an event that no try can store, and that was not seen to be one', () => {
  const nobody: Origin = { kind: 'local', name: '' }; // no record has such a name
  const large = { text: 'x'.repeat(5000) };

  it.each<[string, ValueMap, Origin]>([
    ['that has no encoding', {}, nobody],
    ['that is larger than the broker takes', large, LOCAL],
  ])('%s is left out alone: its sender hears why, the log says so, and the rest is stored', async (_, data, origin) => {
    const problems: string[] = [];
    const { bus, pages, elsewhere, end } = await aBus((problem) => problems.push(problem));
    pages.largest = 4000;
    const tags = ['1', '2', 'bad', '3', '4', '5'];
    const fired = tags.map((tag) => (tag === 'bad' ? bus.fire(tag, data, origin) : bus.fire(tag, {}, LOCAL)));
    const ends = await Promise.allSettled(fired);
    expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(tags.map((tag) => tag !== 'bad'));
    expect(ends[2]).toMatchObject({
      reason: { name: 'EventProblem', message: expect.stringMatching(/^the event cannot be stored: ./) as string },
    });
    expect(problems).toEqual(['the event bad cannot be stored: it was heard here only']);
    await bus.fire('after', {}, LOCAL);
    expect((await elsewhere.lastBatch('gw-1'))?.events.map(({ tag, number }) => [tag, number])).toEqual([['after', 7]]);
    expect(await end()).toEqual([...tags, 'after']);
    expect(pages.tags()).toEqual(['1', '2', '3', '4', '5', 'after']);
  });
});

it('that events cannot be stored is said once for as long as it is so, and again when it is so again', async () => {
  const problems: string[] = [];
  const { bus, pages } = await aBus((problem) => problems.push(problem));
  let second: Promise<void> | undefined;
  pages.refusals = 3;
  pages.whenAppended = () => {
    if (second !== undefined) return;
    pages.refusals = 3;
    second = bus.fire('two', {}, LOCAL);
  };
  await bus.fire('one', {}, LOCAL);
  await second;
  expect(pages.tags()).toEqual(['one', 'two']);
  expect(problems).toEqual(Array(2).fill('events could not be stored and are tried again'));
  await bus.close();
});

it('who waits until an event is stored hears that it may not have been when the bus ends', async () => {
  const { bus, pages, end } = await aBus();
  pages.isStuck = true;
  const waiting = [1, 2].map((n) => bus.fire(`t/${String(n)}`, {}, ORIGIN));
  const heard = Promise.all(waiting.map((one) => expect(one).rejects.toThrow(NotStored)));
  expect(await end()).toEqual(['t/1', 't/2']);
  await heard;
  await expect(bus.fire('t/3', {}, ORIGIN)).rejects.toThrow(NotStored);
});

it('what finds no room is not wrong: it is not stored', async () => {
  const { bus, pages, end } = await aBus();
  pages.isStuck = true;
  for (let n = 0; n < 50_000; n += 1) bus.announce('t', {}, ORIGIN);
  await expect(bus.fire('t', {}, ORIGIN)).rejects.toThrow(NotStored);
  await end();
});

it('so is what is large, of which few wait', async () => {
  const { bus, pages, end } = await aBus();
  const data = { text: 'x'.repeat(1_000_000) };
  pages.isStuck = true;
  for (let n = 0; n < 68; n += 1) bus.announce('t', data, ORIGIN);
  await expect(bus.fire('t', data, ORIGIN)).rejects.toThrow(NotStored);
  expect(bus.lag.unstored).toBe(68);
  await end();
});

it('what a gateway says of jobs is told and stored, trimmed where it is too large; what somebody fires is refused', async () => {
  const { bus, pages, listening, end } = await aBus();
  const data = { jid: '1', arg: ['x'.repeat(1 << 20)] };
  bus.announce('salt/job/1/new', data, { kind: 'service', name: 'gateway' });
  await expect(bus.fire('mine', data, ORIGIN)).rejects.toThrow('at most 1048576 bytes');
  expect(await listening.take()).toMatchObject([{ tag: 'salt/job/1/new', data: { jid: '1', arg: 'VALUE_TRIMMED' } }]);
  await end();
  expect(pages.tags()).toEqual(['salt/job/1/new']);
});

describe('what nobody waits for', () => {
  const FLOOD = 256;
  const WINDOWS = 10;

  /** How many events the first batch holds when so many come before and in each window. */
  async function firstBatchOf(...windows: readonly number[]) {
    const left = [...windows];
    const opened: { announce: () => void } = { announce: () => undefined };
    const { bus, pages, end } = await aBus(undefined, async () => {
      await new Promise(setImmediate);
      opened.announce();
    });
    opened.announce = () => {
      for (let count = left.shift() ?? 0; count > 0; count -= 1) bus.announce('t', {}, ORIGIN);
    };
    opened.announce();
    await new Promise<void>((resolve) => {
      pages.whenAppended = resolve;
    });
    const stored = pages.tags().length;
    await end();
    return stored;
  }

  it('is gathered for a window', async () => {
    expect(await firstBatchOf(1, 2, FLOOD)).toBe(3);
  });

  it('is written when a flood has eased', async () => {
    expect(await firstBatchOf(1, FLOOD, 3, FLOOD)).toBe(1 + FLOOD + 3);
  });

  it('does not wait for its end for ever', async () => {
    const endless = Array.from({ length: WINDOWS + 5 }, () => FLOOD);
    expect(await firstBatchOf(1, ...endless)).toBe(500); // as many as go into one message
  });

  it('is written at once with what somebody waits for', async () => {
    const { bus, pages, end } = await aBus(undefined, () => new Promise(() => undefined));
    bus.announce('t/1', {}, ORIGIN);
    await bus.fire('t/2', {}, ORIGIN);
    expect(pages.tags()).toEqual(['t/1', 't/2']);
    await end();
  });
});
