/** Rules of a request that is carried out once: whichever replica it comes to, and for as long as it could be asked again. */
import { MemoryStore } from '@natrium/bus';
import { err, ok, refusal } from '@natrium/model';
import { OnceOnly } from './once-only.js';

const [NOW, HOUR] = [1_795_000_000_000, 3_600_000];

let now: number;
let store: MemoryStore;
let replica: () => OnceOnly;
beforeEach(() => {
  now = NOW;
  store = new MemoryStore('tokens');
  replica = () => new OnceOnly(store, () => now);
});

const asked = (digest: string, lifetime: number) => ok({ digest, request: { issued: NOW, lifetime } });

const code = async (taking: ReturnType<OnceOnly['take']>) => {
  const taken = await taking;
  return taken.ok ? 'taken' : taken.error.code;
};

it('one of all replicas gets it, and none after a restart; another request is another', async () => {
  const taken = await Promise.all([replica(), replica()].map((each) => code(each.take(asked('d1', 1000)))));
  expect(taken.toSorted()).toEqual(['already_ran', 'taken']);
  expect(await code(replica().take(asked('d1', 1000)))).toBe('already_ran');
  expect(await code(replica().take(asked('d2', 1000)))).toBe('taken');
});

it('what has ended is swept, and nothing else', async () => {
  const one = replica();
  await one.take(asked('short', 1000));
  await one.take(asked('long', 2 * HOUR));
  now += HOUR;
  await one.sweep();
  expect((await store.list('o.*')).map(({ key }) => key)).toEqual(['o.long']);
});

it('what cannot be read stays, since it may count, and keeps nothing else from being swept', async () => {
  const one = replica();
  await store.put('o.odd', Uint8Array.of(0xff));
  await one.take(asked('short', 1000));
  now += HOUR;
  await one.sweep();
  expect((await store.list('o.*')).map(({ key }) => key)).toEqual(['o.odd']);
});

it('what is over is kept for as long as a clock that is behind would take it', async () => {
  const one = replica();
  await one.take(asked('d1', 1000));
  now += 1000 + 30_000;
  await one.sweep();
  expect(await code(replica().take(asked('d1', 1000)))).toBe('already_ran');
});

it('what was refused is not noted', async () => {
  expect(await code(replica().take(err(refusal('request_expired', 'ask again'))))).toBe('request_expired');
  expect(await store.list('o.*')).toEqual([]);
});

it('what cannot be noted is not carried out', async () => {
  store.create = () => Promise.reject(Object.assign(new Error('full'), { name: 'StreamRefused' }));
  expect(await code(replica().take(asked('d1', 1000)))).toBe('store_unavailable');
});
