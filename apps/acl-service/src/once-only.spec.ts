/** Rules of a request that is carried out once: whichever replica it comes to, and for as long as it could be asked again. */
import { MemoryStore } from '@natrium/bus';
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

const code = async (taking: ReturnType<OnceOnly['take']>) => {
  const taken = await taking;
  return taken.ok ? 'taken' : taken.error.code;
};

it('one of all replicas gets it, and none after a restart; another request is another', async () => {
  const taken = await Promise.all([replica(), replica()].map((each) => code(each.take('d1', NOW + 1000))));
  expect(taken.toSorted()).toEqual(['already_ran', 'taken']);
  expect(await code(replica().take('d1', NOW + 1000))).toBe('already_ran');
  expect(await code(replica().take('d2', NOW + 1000))).toBe('taken');
});

it('what has ended is swept, and nothing else', async () => {
  const one = replica();
  await one.take('short', NOW + 1000);
  await one.take('long', NOW + 2 * HOUR);
  now += HOUR;
  await one.sweep();
  expect((await store.list('o.*')).map(({ key }) => key)).toEqual(['o.long']);
});

it('what cannot be noted is not carried out', async () => {
  store.create = () => Promise.reject(Object.assign(new Error('full'), { name: 'StreamRefused' }));
  expect(await code(replica().take('d1', NOW + 1000))).toBe('store_unavailable');
});
