/** Rules of a journal that holds less than was delivered of it: its broker lost its data, or was given those of a backup. */
import { MemoryJournal, MemoryStore } from '@natrium/bus';
import { EventLog, type Heard } from '@natrium/events';
import { LogLines, until } from '@natrium/testing';
import { pino } from 'pino';
import { Delivery, type DeliveryParts } from './delivery.js';
import { Place, WHOLE } from './place.js';

const STAMP = '2026-11-21T12:00:00.000000';

async function aJournal(...tags: readonly string[]) {
  const log = new EventLog(new MemoryJournal(), (sender) => sender);
  for (const tag of tags) await fire(log, tag);
  return log;
}

function fire(log: EventLog, tag: string): Promise<number> {
  const event = { number: 1, tag, data: {}, stamp: STAMP, origin: { kind: 'minion' as const, name: tag } };
  return log.append(tag, [event], 1);
}

function aSink(journal: DeliveryParts['journal'], sinks = new MemoryStore('sinks')) {
  const taken: string[] = [];
  const lines = new LogLines();
  const start = () => Promise.resolve({ sequence: 0, index: WHOLE });
  const delivery = new Delivery({
    name: 'db',
    wants: () => true,
    journal,
    place: new Place(sinks, { name: 'db', instance: 'a', start, now: () => 0, log: pino({ level: 'silent' }) }),
    now: () => 0,
    destination: {
      atOnce: 16,
      deliver: (events: readonly Heard[]) => Promise.resolve(void taken.push(...events.map(({ tag }) => tag))),
      close: () => Promise.resolve(),
    },
    figures: { count: () => undefined },
    log: pino({}, { write: lines.hear }),
  });
  /** How many times it took its place. */
  const begun = () => lines.all.filter(({ msg }) => msg === 'this replica delivers').length;
  return { taken, delivery, begun };
}

it('it is delivered from its beginning while the sink runs, behind a gap, once', async () => {
  let log = await aJournal('a', 'b', 'c');
  const { taken, delivery, begun } = aSink({ bounds: () => log.bounds(), read: (...what) => log.read(...what) });
  await until('all is delivered', () => taken.includes('c'));
  log = await aJournal('d');
  await until('what is new is delivered', () => taken.includes('d'));
  await fire(log, 'e');
  await until('what comes after it is delivered', () => taken.includes('e'));
  await until('it is known how far behind it is', () => delivery.behind === 0 && delivery.active === 1);
  await delivery.stop();
  expect(taken).toEqual(['a', 'b', 'c', 'natrium/gap', 'd', 'e']);
  expect(begun()).toBe(2);
});

it('it is delivered from its beginning also where it has as many again before the sink asks once more', async () => {
  const before = await aJournal('a', 'b', 'c');
  const after = await aJournal('d', 'e', 'f', 'g');
  const { last } = await before.bounds();
  let taken: readonly string[] = [];
  let lacking = 0;
  const isLess = () => taken.includes('c') && lacking < 2;
  const sink = aSink({
    bounds: async () => {
      if (!isLess()) return lacking === 0 ? before.bounds() : after.bounds();
      lacking += 1;
      return { first: 1, last: last - 1 };
    },
    read: (...what) => (lacking === 0 ? before : after).read(...what),
  });
  ({ taken } = sink);
  await until('all of it is delivered', () => taken.includes('g'));
  await sink.delivery.stop();
  expect(taken).toEqual(['a', 'b', 'c', 'natrium/gap', 'd', 'e', 'f', 'g']);
});

it('it is delivered from its beginning, behind a gap, also by whoever takes over before anything of it was taken', async () => {
  const sinks = new MemoryStore('sinks');
  let log = await aJournal('a', 'b', 'c');
  const journal: DeliveryParts['journal'] = { bounds: () => log.bounds(), read: (...what) => log.read(...what) };
  const first = aSink(journal, sinks);
  await until('all is delivered', () => first.taken.includes('c'));
  await first.delivery.stop();
  log = await aJournal();
  const second = aSink(journal, sinks);
  await until('it has its place', () => second.begun() === 1);
  await second.delivery.stop();
  log = await aJournal('d', 'e', 'f', 'g');
  const third = aSink(journal, sinks);
  await until('all is delivered', () => third.taken.includes('g'));
  await third.delivery.stop();
  expect(third.taken).toEqual(['natrium/gap', 'd', 'e', 'f', 'g']);
});

it('nor does such a word when a sink takes its place', async () => {
  const sinks = new MemoryStore('sinks');
  const log = await aJournal('a', 'b', 'c');
  const first = aSink(log, sinks);
  await until('all is delivered', () => first.taken.includes('c'));
  await first.delivery.stop();
  const { first: oldest, last } = await log.bounds();
  let asked = 0;
  const bounds = () => Promise.resolve({ first: oldest, last: (asked += 1) === 1 ? 1 : last });
  const second = aSink({ bounds, read: (...what) => log.read(...what) }, sinks);
  await until('it is asked again', () => asked > 1);
  await fire(log, 'd');
  await until('what comes is delivered', () => second.taken.includes('d'));
  await second.delivery.stop();
  expect(second.taken).toEqual(['d']);
});

it('one word of a node that does not know yet of all that it has makes nothing come again', async () => {
  const log = await aJournal('a', 'b', 'c');
  const { last } = await log.bounds();
  const answers: number[] = [];
  const { taken, delivery, begun } = aSink({
    bounds: () => {
      const isLess = taken.includes('c') && answers.push(answers.length) === 1;
      return Promise.resolve({ first: 1, last: isLess ? 1 : last });
    },
    read: (...what) => log.read(...what),
  });
  await until('it is asked again', () => answers.length === 3);
  await delivery.stop();
  expect([taken, begun()]).toEqual([['a', 'b', 'c'], 1]);
});
