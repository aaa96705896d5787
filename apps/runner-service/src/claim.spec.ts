/** Rules of whose a reaction is: one claim of all has it, also when the broker's word on that was lost. */
import { StreamRefused } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { claim, type Claim } from './claim.js';
import { DeafStore, type Lost } from './deaf-store.spec-support.js';

const CLAIM: Claim = { event: 'gw.1', reaction: 'hello', instance: 'a', at: 1 };

let store: DeafStore;
beforeAll(sodiumReady);
beforeEach(() => {
  store = new DeafStore('runs');
});

function claimed(more: Partial<Claim> = {}, ...lost: readonly Lost[]): Promise<boolean> {
  store.lost.push(...lost);
  return claim(store, { ...CLAIM, ...more }, () => Promise.resolve());
}

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

it('is not known while no write is acknowledged', async () => {
  await expect(claimed({}, 'gone', 'gone', 'gone', 'gone')).rejects.toThrow(StreamRefused);
  expect(store.writes).toBe(3);
});
