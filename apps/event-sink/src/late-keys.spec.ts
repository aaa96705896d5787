/** Rules of a sink whose host lacks the storage key of what comes next: another may have it, and it may still come. */
import { MemoryJournal, MemoryStore, SealedJournal } from '@natrium/bus';
import { sodiumReady, type StorageKey } from '@natrium/envelope';
import { EventLog, type Heard } from '@natrium/events';
import { LogLines, until } from '@natrium/testing';
import { pino } from 'pino';
import { Delivery } from './delivery.js';
import { LATE_MS, LateKeys } from './late-keys.js';
import { Place, WHOLE } from './place.js';

const STAMP = '2026-11-21T12:00:00.000000';
const OLD: StorageKey = { id: '20261128000000', key: new Uint8Array(32).fill(1) };
const NEW: StorageKey = { id: '20261129000000', key: new Uint8Array(32).fill(2) };
const GONE: StorageKey = { id: '20261127000000', key: new Uint8Array(32).fill(3) };

/** The first one seals. */
type Keys = [StorageKey, ...StorageKey[]];

beforeAll(sodiumReady);

let pages: MemoryJournal;
let sinks: MemoryStore;
let now: number;
const sinksAtWork = new Set<Delivery>();
beforeEach(() => {
  pages = new MemoryJournal();
  sinks = new MemoryStore('sinks');
  now = 0;
});
afterEach(async () => {
  await Promise.all([...sinksAtWork].map((sink) => sink.stop()));
  sinksAtWork.clear();
});

function logWith(keys: Keys): EventLog {
  const byId = (id: string) => keys.find((key) => key.id === id);
  return new EventLog(new SealedJournal(pages, { newest: keys[0], byId }, () => undefined), (sender) => sender);
}

function fire(tag: string, key: StorageKey): Promise<number> {
  const event = { number: 1, tag, data: {}, stamp: STAMP, origin: { kind: 'minion' as const, name: tag } };
  return logWith([key]).append(tag, [event], 1);
}

function aSink(instance: string, keys: Keys) {
  const taken: string[] = [];
  const lines = new LogLines();
  const log = pino({}, { write: lines.hear });
  const start = () => Promise.resolve({ sequence: 0, index: WHOLE });
  const delivery = new Delivery({
    name: 'db',
    wants: () => true,
    journal: logWith(keys),
    place: new Place(sinks, { name: 'db', instance, start, now: () => now, log }),
    destination: {
      atOnce: 16,
      deliver: (events: readonly Heard[]) => Promise.resolve(void taken.push(...events.map(({ tag }) => tag))),
      close: () => Promise.resolve(),
    },
    figures: { count: () => undefined },
    log,
    now: () => now,
  });
  sinksAtWork.add(delivery);
  const lacks = () => lines.all.filter(({ msg }) => msg.includes('their storage key is missing'));
  return { taken, delivery, lacks };
}

it('delivers what is before it, and hands its place to a replica that has the key: nothing is left out, or comes twice', async () => {
  await fire('a', OLD);
  await fire('b', NEW);
  const first = aSink('a', [OLD]);
  await until('it has handed its place back', () => first.lacks().length === 1 && first.delivery.active === 0);
  const second = aSink('b', [NEW, OLD]);
  await fire('c', NEW);
  await until('the other has delivered all', () => second.taken.includes('c'));
  expect([first.taken, second.taken]).toEqual([['a'], ['b', 'c']]);
});

it('goes on with it when the key has come, and says once that it is missing', async () => {
  await fire('a', OLD);
  await fire('b', NEW);
  const keys: Keys = [OLD];
  const sink = aSink('a', keys);
  await until('it has handed its place back', () => sink.lacks().length === 1 && sink.delivery.active === 0);
  keys.push(NEW);
  await until('it is delivered', () => sink.taken.includes('b'));
  expect([sink.taken, sink.lacks().length]).toEqual([['a', 'b'], 1]);
}, 30_000);

it('what no key comes for in five minutes is passed over as a gap, and what follows it is delivered', async () => {
  await fire('a', OLD);
  for (const tag of ['b', 'c']) await fire(tag, GONE);
  await fire('d', OLD);
  const sink = aSink('a', [OLD]);
  await until('it has handed its place back', () => sink.lacks().length === 1 && sink.delivery.active === 0);
  now += LATE_MS;
  await until('what follows is delivered', () => sink.taken.includes('d'));
  expect(sink.taken).toEqual(['a', 'natrium/gap', 'd']);
}, 30_000);

it('a key is waited for anew where another replica went on meanwhile', () => {
  const keys = new LateKeys(() => now);
  expect([keys.mayCome('k'), keys.isMissed('k')]).toEqual([true, true]);
  now += LATE_MS;
  expect(keys.mayCome('k')).toBe(false);
  keys.forget();
  expect([keys.isMissed('k'), keys.mayCome('k')]).toEqual([false, true]);
});
