/** Rules of bringing an account's key to the roster: a key of no use is replaced once, and one that may be good never. */
import { type Identity, identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import { err, ok, refusal, type RefusalCode } from '@natrium/model';
import { enrolKey } from './enrol-key.js';

let [kept, made]: Identity[] = [];
beforeAll(async () => {
  await sodiumReady();
  [kept, made] = [identityFrom(newIdentitySecret()), identityFrom(newIdentitySecret())];
});

/** @param refused How each key is refused in turn; `undefined`: it is taken. */
async function enrolled(own: Identity | undefined, ...refused: readonly (RefusalCode | undefined)[]) {
  const asked: unknown[] = [];
  const done = await enrolKey(own, {
    make: () => made!,
    enrol: (identity) => {
      const code = refused[asked.length];
      asked.push(identity);
      return Promise.resolve(code === undefined ? ok('joe') : err(refusal(code, 'no')));
    },
  });
  return { asked, done: done.ok ? 'enrolled' : done.error.code };
}

it('the key of the file is enrolled, and no other made', async () => {
  expect(await enrolled(kept)).toEqual({ asked: [kept], done: 'enrolled' });
});

it('one that was used before, be it as a minion’s, is replaced by a new one, once', async () => {
  expect(await enrolled(kept, 'key_state')).toEqual({ asked: [kept, made], done: 'enrolled' });
  expect(await enrolled(kept, 'key_state', 'key_state')).toEqual({ asked: [kept, made], done: 'key_state' });
});

it.each(['not_permitted', 'store_unavailable', 'slow_down'] as const)(
  'one that is refused by %s says nothing of the key, which stays',
  async (code) => {
    expect(await enrolled(kept, code)).toEqual({ asked: [kept], done: code });
  },
);

it('where there is none it is made', async () => {
  expect(await enrolled(undefined)).toEqual({ asked: [made], done: 'enrolled' });
});
