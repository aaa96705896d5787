/** Rules of whose a reaction is: one claim of all has it, also when the broker's word on that was lost. */
import { StreamRefused } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { claim, type Claim } from './claim.js';
import { DeafStore, type Lost } from './deaf-store.spec-support.js';

const CLAIM: Claim = { event: 'gw.1', reaction: 'hello', instance: 'a', at: 1 };

let store: DeafStore;
let stopping: AbortController;
beforeAll(sodiumReady);
beforeEach(() => {
  store = new DeafStore('runs');
  stopping = new AbortController();
});

function claimed(more: Partial<Claim> = {}, ...lost: readonly Lost[]): Promise<boolean> {
  store.lost.push(...lost);
  let now = 0;
  const pause = (ms: number) => Promise.resolve((now += ms));
  return claim(store, { ...CLAIM, ...more }, { now: () => now, pause, stopping: stopping.signal });
}

const times = (count: number, what: Lost) => Array.from({ length: count }, () => what);

it('is the first one’s, and nobody else’s', async () => {
  expect(await claimed()).toBe(true);
  expect([await claimed({ instance: 'b' }), await claimed({ at: 2 })]).toEqual([false, false]);
  expect([await claimed({ event: 'gw.2' }), await claimed({ reaction: 'bye' })]).toEqual([true, true]);
});

it.each<Lost[][]>([[['made']], [['gone']], [['gone', 'made']], [['made', 'made']]])(
  'of a write that nobody acknowledged is found out whether it was made: %j',
  async (lost) => {
    expect(await claimed({}, ...lost)).toBe(true);
    expect(await claimed({ instance: 'b' })).toBe(false);
  },
);

it('that was claimed before is no other’s because an acknowledgement was lost', async () => {
  await claimed();
  expect(await claimed({ instance: 'b' }, 'gone')).toBe(false);
  expect(await claimed({ at: 2 }, 'gone')).toBe(false); // the same instance hears the event again
});

it.each<Lost>(['full', 'gone'])('of a broker that takes no writes (%s) is made when that is over', async (what) => {
  expect(await claimed({}, ...times(50, what))).toBe(true);
  expect(await claimed({ instance: 'b' }, ...times(5, what))).toBe(false);
});

it('is not known while no write is acknowledged, for a minute; who stops does not wait', async () => {
  await expect(claimed({}, ...times(90, 'gone'))).rejects.toThrow(StreamRefused);
  expect(store.writes).toBe(61);
  stopping.abort();
  await expect(claimed()).rejects.toThrow(StreamRefused);
  expect(store.writes).toBe(62);
});
