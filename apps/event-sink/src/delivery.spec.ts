/** Rules of how much goes to a destination at once, which may have no time for so much. */
import { MemoryStore } from '@natrium/bus';
import type { EventLog, Heard, LoggedBatch } from '@natrium/events';
import { LogLines } from '@natrium/testing';
import { pino } from 'pino';
import { Delivery } from './delivery.js';
import { type Destination, EventRefused, TookTooLong } from './destination.js';
import { Place } from './place.js';

const EVENTS = 40;

/** Takes so many at once and no more, and one event never; resolves when it has all others. */
class SlowDestination implements Destination {
  readonly atOnce = 16;
  /** How many came in each go, and whether they were taken. */
  readonly goes: (readonly [number, boolean])[] = [];
  readonly taken: string[] = [];
  readonly all: Promise<void>;
  #done: () => void = () => undefined;

  constructor(
    private readonly most: () => number,
    private readonly refused = '',
  ) {
    this.all = new Promise((done) => (this.#done = done));
  }

  deliver(events: readonly Heard[]): Promise<void> {
    const takes = events.length <= this.most();
    this.goes.push([events.length, takes]);
    if (!takes) return Promise.reject(new TookTooLong('no time'));
    const came = events.map(({ tag }) => tag);
    if (came.includes(this.refused)) return Promise.reject(new EventRefused('none of mine'));
    this.taken.push(...came);
    if (this.taken.length >= EVENTS - Number(this.refused !== '')) this.#done();
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const tags = Array.from({ length: EVENTS }, (_, n) => `t/${String(n)}`);

function journalOf(batch: LoggedBatch): Pick<EventLog, 'bounds' | 'read'> {
  return {
    bounds: () => Promise.resolve({ first: 1, last: 1 }),
    read: (_from, take) => {
      void take({ ...batch, encoded: new Uint8Array() });
      return { close: () => undefined };
    },
  };
}

function aBatch(): LoggedBatch {
  const events = tags.map((tag, number) => {
    return {
      number,
      tag,
      data: {},
      stamp: '2026-11-21T12:00:00.000000',
      origin: { kind: 'minion' as const, name: 'a' },
    };
  });
  return { sequence: 1, sender: 'gw-1', through: EVENTS, events };
}

async function deliver(destination: SlowDestination) {
  const log = new LogLines();
  const counts = { delivered: 0, failed: 0, refused: 0 };
  const start = () => Promise.resolve({ sequence: 0, index: 99_999 });
  const [now, lines] = [() => 0, pino({}, { write: log.hear })];
  const delivery = new Delivery({
    name: 'db',
    wants: () => true,
    journal: journalOf(aBatch()),
    place: new Place(new MemoryStore('sinks'), { name: 'db', instance: 'a', start, now, log: lines }),
    now,
    destination,
    figures: { count: (what, count) => void (counts[what] += count) },
    log: lines,
  });
  await destination.all;
  await delivery.stop();
  return { counts, log };
}

it('halves what takes too long until it is taken, in order, and gives up nothing', async () => {
  const destination = new SlowDestination(() => 5);
  const { counts, log } = await deliver(destination);
  expect(destination.taken).toEqual(tags);
  const tooMany = destination.goes.filter(([, takes]) => !takes).map(([size]) => size);
  expect(tooMany.slice(0, 2)).toEqual([16, 8]);
  expect(Math.max(...tooMany.slice(2))).toBe(7);
  expect(counts).toMatchObject({ delivered: EVENTS, refused: 0 });
  expect(log.all.filter(({ msg }) => msg.includes('half as many'))).toHaveLength(counts.failed);
});

it('does not begin each time with what took too long before, and comes back to more', async () => {
  let goes = 0;
  const destination = new SlowDestination(() => ((goes += 1) <= 2 ? 4 : EVENTS));
  await deliver(destination);
  expect(destination.goes.map(([size]) => size)).toEqual([16, 8, 4, 4, 5, 3, 7, 9, 8]);
});

it('finds the one that is refused for good by halves, not one by one: the others arrive in their order', async () => {
  const destination = new SlowDestination(() => EVENTS, 't/5');
  const { counts, log } = await deliver(destination);
  expect(destination.taken).toEqual(tags.filter((tag) => tag !== 't/5'));
  expect(destination.goes.map(([size]) => size)).toEqual([16, 8, 4, 4, 2, 1, 1, 2, 8, 16, 8]);
  expect(counts).toEqual({ delivered: EVENTS - 1, failed: 0, refused: 1 });
  expect(log.all.filter(({ msg }) => msg.includes('refuses an event'))).toMatchObject([{ sink: 'db', tag: 't/5' }]);
});

it('stops all the same where its destination cannot be closed, and says so', async () => {
  const destination = new SlowDestination(() => EVENTS);
  destination.close = () => Promise.reject(new Error('stuck'));
  const { log } = await deliver(destination);
  expect(log.all.filter(({ msg }) => msg.includes('could not be closed'))).toMatchObject([
    { sink: 'db', why: 'stuck' },
  ]);
});

/** A replica that stood still for ten seconds before this batch came; with another beside it that looks after the place. */
async function stoodStill(isAnotherThere: boolean) {
  let time = 0;
  const now = () => time;
  const store = new MemoryStore('sinks');
  const log = pino({ enabled: false });
  const placeOf = (instance: string) => {
    const start = () => Promise.resolve({ sequence: 0, index: 99_999 });
    return new Place(store, { name: 'db', instance, start, now, log });
  };
  const destination = new SlowDestination(() => EVENTS);
  let begun: (give: () => void) => void = () => undefined;
  const reading = new Promise<() => void>((resolve) => (begun = resolve));
  const journal: Pick<EventLog, 'bounds' | 'read'> = {
    bounds: () => Promise.resolve({ first: 1, last: 1 }),
    read: (from, take) => {
      begun(() => void journalOf(aBatch()).read(from, take));
      return { close: () => undefined };
    },
  };
  const figures = { count: () => undefined };
  const parts = { name: 'db', wants: () => true, journal, destination, figures, log, now };
  const delivery = new Delivery({ ...parts, place: placeOf('a') });
  const give = await reading;
  const other = placeOf('b');
  expect(await other.take()).toBe(false);
  time = 10_000;
  if (isAnotherThere) expect(await other.take()).toBe(true);
  give();
  return { delivery, destination };
}

it('when it stood still it delivers nothing more that another has taken over meanwhile', async () => {
  const { delivery, destination } = await stoodStill(true);
  while (delivery.active === 1) await new Promise(setImmediate);
  expect(destination.taken).toEqual([]);
  await delivery.stop();
});

it('when it stood still and nobody has taken over, it goes on', async () => {
  const { delivery, destination } = await stoodStill(false);
  await destination.all;
  expect(destination.taken).toEqual(tags);
  await delivery.stop();
});
