/** Rules of bookmarks: how far the bus has come, for whoever asks, where no event says so; and that all has come that was asked for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { type JournalMessage, MemoryJournal, type ReadFrom, type Reading } from '@natrium/bus';
import type { Bookmark, EventFeed, Listen, Listening } from '../buses/bus.js';
import { LocalBus } from '../buses/local-bus.js';
import { isGap } from '../event/event.js';
import { EventLog } from '../journal/event-log.js';
import { JournaledBus } from '../journal/journaled-bus.js';
import { BusGone, EventClient } from './client.js';
import { serveJsonSocket } from './json-socket.js';

const ORIGIN = { kind: 'local', name: 'test' } as const;
const BOOKMARK_MS = 10_000;
const REAL = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const; // prettier-ignore

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: [...REAL] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A journal whose oldest messages are no longer kept. */
class TrimmedJournal extends MemoryJournal {
  /** The first that is. */
  first = 1;
  isBroken = false;
  /** From this message on nothing is read. */
  heldFrom = Infinity;
  /** Gone while others before them were read. */
  readonly goneMeanwhile = new Set<number>();

  override bounds() {
    if (this.isBroken) return Promise.reject(new Error('no leader'));
    return Promise.resolve({ first: this.first, last: this.messages.length });
  }

  override read(from: ReadFrom, onMessage: (message: JournalMessage) => Promise<void> | void): Reading {
    const kept = this.messages.slice(Math.max('after' in from ? from.after : 0, this.first - 1));
    const reading = { isClosed: false };
    void (async () => {
      for (const message of kept)
        if (!reading.isClosed && message.sequence < this.heldFrom && !this.goneMeanwhile.has(message.sequence))
          await onMessage(message);
    })();
    return { close: () => (reading.isClosed = true) };
  }
}

async function aBus(journal = new TrimmedJournal(), sender = 'gw-1') {
  const log = new EventLog(journal, (name) => name);
  const problems: string[] = [];
  const onProblem = (problem: string) => problems.push(problem);
  const bus = await JournaledBus.open({ log, sender, maxBytes: 1 << 20, now: () => 0, onProblem });
  let number = 0;
  /** Somebody's event that is stored, each in a message of its own. */
  const stored = async (tag: string) => {
    number += 1;
    const event = { number, tag, data: {}, stamp: '2026-01-01T00:00:00.000000', origin: ORIGIN };
    await log.append('a', [event], number);
  };
  return { bus, journal, log, stored, problems };
}

const RARE = { tags: ['rare/'], bookmarks: true } as const;

/** What comes next when it is time for a bookmark. */
async function nextOf(listening: Listening): Promise<{ tags: readonly string[]; bookmark: Bookmark | undefined }> {
  const taken = listening.take();
  await turn();
  jest.advanceTimersByTime(BOOKMARK_MS);
  const tags = (await taken)?.map(({ tag }) => tag) ?? [];
  return { tags, bookmark: listening.bookmark };
}

async function allOf(feed: EventFeed, listen: Listen) {
  const listening = feed.subscribe({ ...listen, until: 'now' });
  const tags: string[] = [];
  for (let events = await listening.take(); events !== undefined; events = await listening.take())
    for (const { tag } of events) tags.push(tag);
  return { tags, bookmark: listening.bookmark };
}

describe('a listener whose filter lets nothing through', () => {
  it('hears how far the bus has come: from there nothing is missing, from where it began there is a gap', async () => {
    const { bus, journal, stored } = await aBus();
    await stored('other/0');
    const began = bus.cursor;
    const listening = bus.subscribe(RARE);
    for (let n = 1; n <= 3; n += 1) await stored(`other/${String(n)}`);
    const { tags, bookmark } = await nextOf(listening);
    expect({ tags, bookmark }).toEqual({ tags: [], bookmark: { cursor: bus.cursor } });
    journal.first = 4;
    await stored('rare/1');
    const from = (cursor: string) => allOf(bus, { ...RARE, from: { cursor } });
    expect((await from(bookmark?.cursor ?? '')).tags).toEqual(['rare/1']);
    expect((await from(began)).tags).toEqual(['natrium/gap', 'rare/1']);
    await bus.close();
  });

  it('hears where what this gateway itself fired is stored, though that was told before', async () => {
    const { bus } = await aBus();
    const listening = bus.subscribe(RARE);
    await bus.fire('other', {}, ORIGIN);
    expect((await nextOf(listening)).bookmark).toEqual({ cursor: '1.0' });
    await bus.close();
  });

  it('hears, once it has read what it missed, where those stand who heard it', async () => {
    const { bus, stored } = await aBus();
    for (let n = 1; n <= 3; n += 1) await stored(`other/${String(n)}`);
    expect((await nextOf(bus.subscribe({ ...RARE, from: 'start' }))).bookmark).toEqual({ cursor: bus.cursor });
    await bus.close();
  });

  it('still names what it heard at another gateway, until the journal has given it back', async () => {
    const { bus, stored } = await aBus();
    await stored('other/1');
    const listening = bus.subscribe({ ...RARE, from: { cursor: '1.0~gw-2:7' } });
    expect((await nextOf(listening)).bookmark).toEqual({ cursor: `${bus.cursor}~gw-2:7` });
    await bus.close();
  });

  it('on the bus of a host, too', async () => {
    const bus = new LocalBus('b', () => 0);
    const began = bus.cursor;
    const listening = bus.subscribe(RARE);
    for (let n = 1; n <= 1200; n += 1) await bus.fire('other', {}, ORIGIN);
    const { bookmark } = await nextOf(listening);
    for (let n = 1; n <= 999; n += 1) await bus.fire('other', {}, ORIGIN);
    await bus.fire('rare/1', {}, ORIGIN);
    const from = (cursor: string) => allOf(bus, { ...RARE, from: { cursor } });
    expect((await from(bookmark?.cursor ?? '')).tags).toEqual(['rare/1']);
    expect((await from(began)).tags).toEqual(['natrium/gap', 'rare/1']);
    bus.close();
  });

  it('hears nothing of it when it did not ask', async () => {
    const { bus, stored } = await aBus();
    const listening = bus.subscribe({ tags: ['rare/'] });
    await stored('other/1');
    expect(jest.getTimerCount()).toBe(0);
    await stored('rare/1');
    expect(await nextOf(listening)).toEqual({ tags: ['rare/1'], bookmark: undefined });
    await bus.close();
  });
});

describe('a bookmark', () => {
  it('is behind what waits, and never before an event that came since', async () => {
    const { bus, stored } = await aBus();
    const listening = bus.subscribe(RARE);
    await stored('rare/1');
    await stored('other/1');
    jest.advanceTimersByTime(BOOKMARK_MS);
    expect([(await listening.take())?.length, listening.bookmark]).toEqual([1, { cursor: '2.0' }]);
    await stored('other/2');
    jest.advanceTimersByTime(BOOKMARK_MS);
    const fired = bus.fire('rare/2', {}, ORIGIN); // it is told before it is stored, when a bookmark is due
    expect((await listening.take())?.map(({ cursor }) => cursor)).toEqual(['3.0~gw-1:1']);
    expect(listening.bookmark).toBeUndefined();
    await fired;
    await bus.close();
  });

  it('comes once in ten seconds, however much passes by, and not while nothing does', async () => {
    const { bus, stored } = await aBus();
    const listening = bus.subscribe(RARE);
    await nextOf(listening); // where it begins
    for (let n = 1; n <= 100; n += 1) await stored(`other/${String(n)}`);
    expect(jest.getTimerCount()).toBe(1);
    expect((await nextOf(listening)).bookmark).toEqual({ cursor: '100.0' });
    expect(jest.getTimerCount()).toBe(0);
    await bus.close();
  });

  it('leaves no timer behind when its listener leaves', async () => {
    const { bus, stored } = await aBus();
    const listening = bus.subscribe(RARE);
    await stored('other/1');
    listening.close();
    expect(jest.getTimerCount()).toBe(0);
    await bus.close();
  });
});

describe('who hears until now', () => {
  it('hears at the end that it is one, and goes on from there without a gap', async () => {
    const { bus, journal, stored } = await aBus();
    for (const tag of ['rare/1', 'other/1', 'other/2']) await stored(tag);
    const { tags, bookmark } = await allOf(bus, { ...RARE, from: 'start' });
    expect({ tags, bookmark }).toEqual({ tags: ['rare/1'], bookmark: { cursor: '3.99999', ended: true } });
    journal.first = 4;
    const again = { ...RARE, from: { cursor: bookmark?.cursor ?? '' } };
    expect((await allOf(bus, again)).tags).toEqual([]);
    await stored('rare/2');
    expect((await allOf(bus, again)).tags).toEqual(['rare/2']);
    await bus.close();
  });

  it.each([
    ['an empty journal', 'start', '0.99999'],
    ['one that has begun anew', { cursor: '9.0' }, '0.99999'],
    ['what comes', 'now', '0.99999'],
  ] as const)('hears it of %s', async (_, from, cursor) => {
    const { bus } = await aBus();
    const { tags, bookmark } = await allOf(bus, { ...RARE, from });
    expect([tags.every(isGap), bookmark]).toEqual([true, { cursor, ended: true }]);
    await bus.close();
  });

  it('hears on the way how far it has come', async () => {
    const { bus, journal, stored } = await aBus();
    for (const tag of ['other/1', 'other/2', 'rare/1']) await stored(tag);
    journal.heldFrom = 3;
    const listening = bus.subscribe({ ...RARE, from: 'start', until: 'now' });
    expect(await nextOf(listening)).toEqual({ tags: [], bookmark: { cursor: '2.99999' } });
    await bus.close();
  });

  it('hears of a gap, in its place, where the oldest went while it still read', async () => {
    const { bus, journal, stored } = await aBus();
    for (let n = 1; n <= 5; n += 1) await stored(`rare/${String(n)}`);
    for (const sequence of [2, 3]) journal.goneMeanwhile.add(sequence);
    const { tags } = await allOf(bus, { ...RARE, from: 'start' });
    expect(tags).toEqual(['rare/1', 'natrium/gap', 'rare/4', 'rare/5']);
    await bus.close();
  });

  it('hears at the end, too, what it heard at another gateway and the journal has not given back', async () => {
    const { bus, stored } = await aBus();
    await stored('other/1');
    const { bookmark } = await allOf(bus, { ...RARE, from: { cursor: '1.0~gw-2:7' } });
    expect(bookmark).toEqual({ cursor: '1.99999~gw-2:7', ended: true });
    await bus.close();
  });

  it('hears of no end where it could not be given all', async () => {
    const { bus, journal, problems } = await aBus();
    journal.isBroken = true;
    expect((await allOf(bus, { ...RARE, from: 'start' })).bookmark).toBeUndefined();
    expect(problems).toHaveLength(1);
    await bus.close();
  });
});

describe('over the JSON socket', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nt-marks-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function served(bus: JournaledBus | LocalBus, rights?: { mayRead(): boolean; mayFire(): boolean }) {
    const path = join(folder, 'event.sock');
    const place = { path };
    const options = { feed: bus, place, origin: ORIGIN, instance: 'i', maxBytes: 1 << 20, ...(rights && { rights }) };
    const server = await serveJsonSocket(options);
    const asking = (line: string) => {
      const socket = connect(path);
      socket.write(`${line}\n`);
      return createInterface({ input: socket })[Symbol.asyncIterator]();
    };
    return { server, asking, client: new EventClient(path) };
  }

  async function linesOf(lines: AsyncIterator<string>): Promise<readonly string[]> {
    const all: string[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) all.push(line.value);
    return all;
  }

  it('they are lines without a tag, also for whom event_acl lets read nothing', async () => {
    const bus = new LocalBus('b', () => 0);
    const nothing = { mayRead: () => false, mayFire: () => false };
    const { server, asking } = await served(bus, nothing);
    const lines = asking('{"subscribe": [], "bookmarks": true}');
    await lines.next();
    await bus.fire('other', {}, ORIGIN);
    jest.advanceTimersByTime(BOOKMARK_MS);
    expect((await lines.next()).value).toBe('{"bookmark":true,"cursor":"1.0~b:0"}');
    await lines.return?.();
    server.close();
  });

  it.each([
    ['ends with that it has', ', "bookmarks": true', ['{"ended":true,"cursor":"1.0~b:0"}']],
    ['only ends, for whoever did not ask', '', []],
  ])('what is heard until now %s', async (_, bookmarks, end) => {
    const bus = new LocalBus('b', () => 0);
    await bus.fire('other', {}, ORIGIN);
    const { server, asking } = await served(bus);
    const lines = asking(`{"subscribe": [], "from": "start", "until": "now"${bookmarks}}`);
    const [, event, ...rest] = await linesOf(lines);
    expect([event, rest]).toEqual([expect.stringContaining('"tag":"other"'), end]);
    server.close();
  });

  it('the client tells the end from a bus that went away before it', async () => {
    const { bus, journal, stored } = await aBus();
    await stored('t/1');
    const { server, client } = await served(bus);
    const all = async () => {
      const tags: string[] = [];
      for await (const { tag } of await client.subscribe({ from: 'start', until: 'now' })) tags.push(tag);
      return tags;
    };
    expect(await all()).toEqual(['t/1']);
    journal.isBroken = true; // then the bus gives it up
    await expect(all()).rejects.toThrow(BusGone);
    server.close();
    await bus.close();
  });

  it('the client hears them beside its events', async () => {
    const bus = new LocalBus('b', () => 0);
    const { server, client } = await served(bus);
    const passed: string[] = [];
    const listening = await client.subscribe({ tags: 'rare/', passed: (cursor) => passed.push(cursor) });
    const heard = listening[Symbol.asyncIterator]().next();
    await bus.fire('other', {}, ORIGIN);
    jest.advanceTimersByTime(BOOKMARK_MS);
    await turn();
    await bus.fire('rare/1', {}, ORIGIN);
    expect((await heard).value).toMatchObject({ tag: 'rare/1' });
    expect(passed).toEqual(['1.0~b:0']);
    listening.close();
    server.close();
  });
});
