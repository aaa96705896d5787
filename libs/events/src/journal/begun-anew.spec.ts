/** Rules of a journal that holds less than was read of it: its broker lost its data, or was given those of a backup. */
import { type Journal, MemoryJournal } from '@natrium/bus';
import { until } from '@natrium/testing';
import type { Listening } from '../buses/bus.js';
import { GAP_TAG } from '../event/event.js';
import { EventLog } from './event-log.js';
import { JournaledBus } from './journaled-bus.js';

const ORIGIN = { kind: 'local', name: 'hook' } as const;
const HOUR_MS = 3_600_000;

/** As on JetStream: whoever reads on after a place hears nothing of another journal before that place. */
class Replaceable implements Journal {
  readonly name = 'replaceable';
  now = HOUR_MS;
  journal = new MemoryJournal(this.name, () => this.now);
  /** Told instead of what is there. */
  boundsThen: Promise<{ readonly first: number; readonly last: number }> | undefined;

  append: Journal['append'] = (...what) => this.journal.append(...what);
  lastOn: Journal['lastOn'] = (subject) => this.journal.lastOn(subject);
  bounds: Journal['bounds'] = () => this.boundsThen ?? this.journal.bounds();
  read: Journal['read'] = (...what) => this.journal.read(...what);

  /** @param count How many of its messages are left. @param at How old they are. */
  async replace(count: number, at: number): Promise<void> {
    const kept = this.journal.messages.slice(0, count);
    const now = this.now;
    this.journal = new MemoryJournal(this.name, () => this.now);
    this.now = at;
    for (const { subject, value } of kept) await this.journal.append(subject, value, 0);
    this.now = now;
  }
}

const anEvent = (sender: string, number: number) => ({
  number,
  tag: `${sender}/${String(number)}`,
  data: {},
  stamp: '2026-01-01T00:00:00.000000',
  origin: { kind: 'minion' as const, name: sender },
});

let pages: Replaceable;
let bus: JournaledBus;
let listening: Listening;
beforeEach(async () => {
  pages = new Replaceable();
  bus = await aBus();
  listening = bus.subscribe();
});
afterEach(() => bus.close());

const aBus = () =>
  JournaledBus.open({
    log: new EventLog(pages, (sender) => sender),
    sender: 'gw-1',
    maxBytes: 1 << 20,
    now: () => pages.now,
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });

/** Another gateway stores it. */
const elsewhere = (sender: string, number: number) =>
  new EventLog(pages, (subject) => subject).append(sender, [anEvent(sender, number)], number);

/** Their tags, up to the last of them that is named. */
async function heard(last: string, of: Listening = listening): Promise<readonly string[]> {
  const tags: string[] = [];
  for await (const { tag } of of) {
    tags.push(tag);
    if (tag === last) break;
  }
  return tags;
}

async function afterThree(kept: number, at = 0): Promise<void> {
  for (const sender of ['a', 'b', 'c']) await elsewhere(sender, 1);
  expect(await heard('c/1', bus.subscribe({ from: 'start' }))).toEqual(['a/1', 'b/1', 'c/1']);
  await pages.replace(kept, at);
}

it.each([
  ['nothing', 0, 0],
  ['a part', 1, 0],
  ['what was heard a moment ago', 1, HOUR_MS],
])(
  'of which %s is left is read on once something is stored from here, and listeners hear of the gap',
  async (_, kept, at) => {
    await afterThree(kept, at);
    await elsewhere('d', 1);
    await bus.fire('own', {}, ORIGIN);
    await until('it is noticed', async () => (await bus.behind()) === 0);
    await elsewhere('d', 2);
    expect(await heard('d/2')).toEqual(['a/1', 'b/1', 'c/1', 'own', GAP_TAG, 'd/1', 'd/2']);
  },
);

it('is read on once somebody asks how far behind this gateway is', async () => {
  await afterThree(0);
  await elsewhere('d', 1);
  await bus.behind();
  await elsewhere('d', 2);
  expect((await heard('d/2')).slice(3)).toEqual([GAP_TAG, 'd/1', 'd/2']);
  expect(await bus.behind()).toBe(0);
});

it('ends who still hears what it missed: it comes back by its cursor, and hears of the gap then', async () => {
  for (const sender of ['a', 'b', 'c']) await elsewhere(sender, 1);
  const slow = bus.subscribe({ from: 'start', until: 'now', limit: 1 });
  await heard('c/1', bus.subscribe({ from: 'start' }));
  await pages.replace(0, 0);
  await bus.behind();
  expect(await heard('c/1', slow)).toEqual(['a/1']);
});

it('that is empty is where this gateway stands', async () => {
  await afterThree(0);
  await bus.behind();
  expect(bus.cursor).toMatch(/^0\./);
});

it('is followed by whoever goes on from a place that it does not have any more', async () => {
  await afterThree(1);
  await elsewhere('d', 1);
  const again = bus.subscribe({ from: { cursor: '3.0' } });
  expect((await again.take())?.map(({ tag }) => tag)).toEqual([GAP_TAG]);
  await elsewhere('d', 2);
  expect(await heard('d/2', again)).toEqual(['d/2']);
});

it('has not begun anew where an answer about it is older than what was heard since', async () => {
  await elsewhere('a', 1);
  await heard('a/1', bus.subscribe({ from: 'start' }));
  let tell: () => void = () => undefined;
  const then = await pages.bounds();
  pages.boundsThen = new Promise((resolve) => {
    tell = () => resolve(then);
  });
  const behind = bus.behind();
  await elsewhere('a', 2);
  await bus.reached(2);
  tell();
  expect(await behind).toBe(0);
  pages.boundsThen = undefined;
  await elsewhere('a', 3);
  expect(await heard('a/3')).toEqual(['a/1', 'a/2', 'a/3']);
});

it('one word of a node that does not know yet of all that there is makes nobody hear anything again', async () => {
  const before = bus.subscribe();
  for (const number of [1, 2, 3]) await elsewhere('web1', number);
  await heard('web1/3', before);
  pages.boundsThen = Promise.resolve({ first: 1, last: 1 });
  const asked = bus.bounds();
  pages.boundsThen = undefined;
  expect(await asked).toMatchObject({ last: 3 });
  await elsewhere('web1', 4);
  expect(await heard('web1/4')).toEqual(['web1/1', 'web1/2', 'web1/3', 'web1/4']);
});
