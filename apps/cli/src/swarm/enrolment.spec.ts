/** Rules of letting a swarm in. */
import { ok } from '@natrium/model';
import { enrolKeys } from './enrolment.js';

const KEYS = Array.from({ length: 600 }, (_, n) => ({ id: `x${String(n + 1)}`, identity: 'aa', nkey: 'U' }));

/** An acl-service that lets all in. */
function aClient() {
  const asked: number[] = [];
  return {
    asked,
    admin: (_what: string, _fun: string, cards: readonly unknown[]) => {
      asked.push(cards.length);
      return Promise.resolve(ok(null));
    },
  };
}

it('says how many keys were let in: all of them, or those before it was told to stop', async () => {
  const [all, some, none] = [aClient(), aClient(), aClient()];
  expect(await enrolKeys(all, KEYS, () => false)).toBe(KEYS.length);
  expect(await enrolKeys(some, KEYS, () => some.asked.length === 1)).toBe(some.asked[0]);
  expect(await enrolKeys(none, KEYS, () => true)).toBe(0);
  expect([some.asked.length, none.asked]).toEqual([1, []]);
  expect(some.asked[0]).toBeLessThan(KEYS.length);
});
