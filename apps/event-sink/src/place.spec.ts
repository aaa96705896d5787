/** Rules of a sink's place: one replica holds it, and what it has written is what the next one begins with. */
import { MemoryStore } from '@natrium/bus';
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
beforeEach(() => {
  store = new MuteStore('sinks');
  now = 0;
});

function aReplica(instance: string): Place {
  const start = () => Promise.resolve({ sequence: 7, index: 99_999 });
  return new Place(store, { name: 'db', instance, start, now: () => now });
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
