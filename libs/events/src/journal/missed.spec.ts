/** Rules of what the journal was given and does not give back: its oldest messages, and what does not open. */
import { type Journal, MemoryJournal } from '@natrium/bus';
import type { Listen, Listening } from '../buses/bus.js';
import { GAP_TAG, stampOf } from '../event/event.js';
import { EventLog } from './event-log.js';
import { JournaledBus } from './journaled-bus.js';

const HOUR_MS = 3_600_000;

class Torn extends MemoryJournal {
  /** By their sequences, messages that nobody can read any more. */
  readonly torn = new Set<number>();
  /** The first that is kept. */
  first = 1;

  override read: Journal['read'] = (from, onMessage, onNothing) => {
    const isLeft = (sequence: number) => sequence >= this.first && !this.torn.has(sequence);
    return super.read(from, (message) => (isLeft(message.sequence) ? onMessage(message) : undefined), onNothing);
  };
  override bounds: Journal['bounds'] = () => Promise.resolve({ first: this.first, last: this.messages.length });
}

let now = HOUR_MS;
/** How far the broker's clock is behind. */
let behind = 0;
let pages: Torn;
let bus: JournaledBus;
beforeEach(async () => {
  [now, behind] = [HOUR_MS, 0];
  pages = new Torn('torn', () => now - behind);
  bus = await JournaledBus.open({
    log: new EventLog(pages, (sender) => sender),
    sender: 'gw-1',
    maxBytes: 1 << 20,
    now: () => now,
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
});
afterEach(() => bus.close());

/** Another gateway stores it; one event makes a message. */
async function elsewhere(...tags: readonly string[]): Promise<void> {
  for (const tag of tags) {
    const event = { number: 1, tag, data: {}, stamp: stampOf(now), origin: { kind: 'minion' as const, name: tag } };
    await new EventLog(pages, (sender) => sender).append(tag, [event], 1);
  }
}

/** Their tags, up to the last of them that is named. */
async function heard(last: string, of: Listening): Promise<readonly string[]> {
  const tags: string[] = [];
  for await (const { tag } of of) {
    tags.push(tag);
    if (tag === last) break;
  }
  return tags;
}

const heardFrom = (last: string, from: Listen['from'] = 'start') => heard(last, bus.subscribe({ from }));

it('whoever listens hears of a gap in its place, and can go on from there', async () => {
  const listening = bus.subscribe();
  pages.torn.add(2);
  await elsewhere('a', 'b', 'c');
  expect(await heard('c', listening)).toEqual(['a', GAP_TAG, 'c']);
  const again = bus.subscribe({ from: 'start' });
  const cursors = new Map<string, string>();
  for await (const { tag, cursor } of again) {
    cursors.set(tag, cursor);
    if (tag === 'c') break;
  }
  expect(await heardFrom('c', { cursor: cursors.get(GAP_TAG) ?? '' })).toEqual(['c']);
});

it('so does whoever comes later and is handed over to those who listen', async () => {
  pages.torn.add(2);
  await elsewhere('a', 'b', 'c', 'd');
  await bus.reached(4);
  expect(await heardFrom('d')).toEqual(['a', GAP_TAG, 'c', 'd']);
  expect(await heardFrom('d', { cursor: '1.0' })).toEqual([GAP_TAG, 'c', 'd']);
});

it('so does whoever goes on from a message that is gone itself, where the next one does not open', async () => {
  pages.torn.add(3);
  await elsewhere('a', 'b', 'c', 'd');
  pages.first = 3;
  expect(await heardFrom('d', { cursor: '2.0' })).toEqual([GAP_TAG, 'd']);
});

it('so does whoever goes on from where nothing was stored yet', async () => {
  const { cursor } = bus;
  await elsewhere('a', 'b', 'c');
  expect(await heardFrom('c', { cursor })).toEqual(['a', 'b', 'c']);
  pages.first = 3;
  expect(await heardFrom('c', { cursor })).toEqual([GAP_TAG, 'c']);
});

it('nobody misses anything where nothing is', async () => {
  const listening = bus.subscribe();
  await elsewhere('a', 'b');
  pages.first = 2;
  expect(await heard('b', listening)).toEqual(['a', 'b']);
  expect(await heardFrom('b', { cursor: '1.0' })).toEqual(['b']);
  expect(await heardFrom('b')).toEqual(['b']);
});

it('a time is that of the events, also where the broker’s clock is behind', async () => {
  behind = 5000;
  await elsewhere('a');
  now += 1000;
  await elsewhere('b', 'c');
  expect(await heardFrom('c', { time: now })).toEqual(['b', 'c']);
});
