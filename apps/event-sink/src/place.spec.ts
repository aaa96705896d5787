/** Rules of a sink's place: one replica holds it, and what it has written is what the next one begins with. */
import { MemoryStore, SealedStore, type Store } from '@natrium/bus';
import { sodiumReady, type StorageKey } from '@natrium/envelope';
import { LogLines } from '@natrium/testing';
import { pino } from 'pino';
import { Place } from './place.js';

/** Says nothing of a write that it makes, when it is told to. */
class MuteStore extends MemoryStore {
  isMute = false;

  override async update(...write: Parameters<MemoryStore['update']>): Promise<number | undefined> {
    const revision = await super.update(...write);
    if (this.isMute) throw new Error('no acknowledgement in time');
    return revision;
  }
}

let store: MuteStore;
let now: number;
let lines: LogLines;
beforeEach(() => {
  store = new MuteStore('sinks');
  lines = new LogLines();
  now = 0;
});

function aReplica(instance: string, places: Store = store): Place {
  const start = () => Promise.resolve({ sequence: 7, index: 99_999 });
  const log = pino({}, { write: lines.hear });
  return new Place(places, { name: 'db', instance, start, now: () => now, log });
}

const OLD: StorageKey = { id: '20261128000000', key: new Uint8Array(32).fill(1) };
const NEW: StorageKey = { id: '20261129000000', key: new Uint8Array(32).fill(2) };
beforeAll(sodiumReady);

/** The places as a replica with these storage keys reads them; the first one seals. */
function sealedWith(...keys: readonly [StorageKey, ...StorageKey[]]): Store {
  const byId = (id: string) => keys.find((key) => key.id === id);
  return new SealedStore(store, { newest: keys[0], byId }, () => undefined);
}

it('begins where a new sink begins, and is held by the first who comes', async () => {
  const [first, second] = [aReplica('a'), aReplica('b')];
  expect(await first.take()).toBe(true);
  expect(first.at).toEqual({ sequence: 7, index: 99_999 });
  expect(await second.take()).toBe(false);
});

it('goes to another once it has stood still for six seconds, and not while it is renewed', async () => {
  const [first, second] = [aReplica('a'), aReplica('b')];
  await first.take();
  for (; now < 20_000; now += 2000) {
    expect(await first.renew()).toBe(true);
    expect(await second.take()).toBe(false);
  }
  first.move({ sequence: 9, index: 3 });
  await first.renew();
  expect(await second.take()).toBe(false);
  now += 5999;
  expect(await second.take()).toBe(false);
  now += 1;
  expect(await second.take()).toBe(true);
  expect(second.at).toEqual({ sequence: 9, index: 3 });
});

it('is not moved any more by who has lost it, nor handed back', async () => {
  const [first, second, third] = [aReplica('a'), aReplica('b'), aReplica('c')];
  await first.take();
  await second.take();
  now += 6000;
  await second.take();
  first.move({ sequence: 8, index: 0 });
  expect(await first.renew()).toBe(false);
  await first.release();
  expect(await third.take()).toBe(false);
  expect(await second.renew()).toBe(true);
});

it('goes on at once with what was handed back', async () => {
  const [first, second] = [aReplica('a'), aReplica('b')];
  await first.take();
  first.move({ sequence: 12, index: 99_999 });
  await first.release();
  expect(await second.take()).toBe(true);
  expect(second.at).toEqual({ sequence: 12, index: 99_999 });
});

it('goes on so, and from its newest place, also where the answer to the write before was lost', async () => {
  const [first, second] = [aReplica('a'), aReplica('b')];
  await first.take();
  first.move({ sequence: 9, index: 3 });
  store.isMute = true;
  await expect(first.renew()).rejects.toThrow('no acknowledgement');
  store.isMute = false;
  first.move({ sequence: 12, index: 99_999 });
  await first.release();
  expect(await second.take()).toBe(true);
  expect(second.at).toEqual({ sequence: 12, index: 99_999 });
});

it('is not handed back by who has lost it without knowing', async () => {
  const [first, second, third] = [aReplica('a'), aReplica('b'), aReplica('c')];
  await first.take();
  await second.take();
  now += 6000;
  await second.take();
  await first.release();
  expect(await third.take()).toBe(false);
  expect(await second.renew()).toBe(true);
});

it('stays with its holder when its value was sealed anew, or an answer was lost', async () => {
  const first = aReplica('a');
  await first.take();
  const entry = await store.get('p.db');
  if (entry !== undefined) await store.put('p.db', entry.value);
  first.move({ sequence: 8, index: 0 });
  expect(await first.renew()).toBe(true);
});

it('a replica without the newest storage key takes nothing from a healthy one that has it', async () => {
  const [first, second] = [aReplica('a', sealedWith(NEW, OLD)), aReplica('b', sealedWith(OLD))];
  await first.take();
  first.move({ sequence: 9, index: 3 });
  for (; now < 1_000_000; now += 2000) {
    expect(await first.renew()).toBe(true);
    expect(await second.take()).toBe(false);
  }
  expect(lines.all).toMatchObject([{ sink: 'db', msg: expect.stringContaining('does not open here') as unknown }]);
});

it('a place that nobody can open, and nobody has moved for five minutes, counts as lost', async () => {
  await aReplica('a', sealedWith(NEW)).take();
  const second = aReplica('b', sealedWith(OLD));
  expect(await second.take()).toBe(false);
  now += 299_999;
  expect(await second.take()).toBe(false);
  now += 1;
  expect(await second.take()).toBe(true);
  expect(second.at).toEqual({ sequence: 0, index: 99_999 });
  expect(lines.all.at(-1)?.msg).toContain('delivered again');
  expect(await second.renew()).toBe(true);
});

it('goes at once from who lacks its key to who has it, and is not taken for lost by its holder', async () => {
  const [first, second] = [aReplica('a', sealedWith(OLD)), aReplica('b', sealedWith(NEW, OLD))];
  await first.take();
  first.move({ sequence: 9, index: 3 });
  await first.renew();
  await second.take();
  now += 6000;
  expect(await second.take()).toBe(true);
  first.move({ sequence: 8, index: 0 });
  expect(await first.renew()).toBe(false);
  expect(await second.renew()).toBe(true);
  expect(second.at).toEqual({ sequence: 9, index: 3 });
});
