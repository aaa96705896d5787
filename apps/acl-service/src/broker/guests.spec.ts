import type { Opened } from '@natrium/bus';
import { Budget } from '@natrium/flow';
import type { contracts } from '@natrium/wire';
import { Guests } from './guests.js';

const asked = (fill: number) =>
  ({
    body: { nkey: new Uint8Array(32).fill(fill) },
    party: { owner: { type: 'identity', key: new Uint8Array(32).fill(fill) } },
  }) as unknown as Opened<typeof contracts.guest>;

const users = {
  guestOf: ({ identity, nkey }: { readonly identity: Uint8Array; readonly nkey: Uint8Array }) =>
    Promise.resolve(`user of ${String(identity[0])} for ${String(nkey[0])}`),
};

it('a guest gets a user for the key that asked and the NATS key that it names', async () => {
  const guests = new Guests(users, new Budget({ rate: 1, burst: 1 }), () => 0);
  expect(await guests.handle(asked(7))).toEqual({ refusal: null, user: 'user of 7 for 7' });
});

it('guests together may ask as often as one caller, whatever keys they come with', async () => {
  let now = 0;
  const guests = new Guests(users, new Budget({ rate: 1, burst: 3 }), () => now);
  for (const key of [1, 2, 3]) expect((await guests.handle(asked(key))).user).toBe(`user of ${key} for ${key}`);
  expect(await guests.handle(asked(4))).toMatchObject({ refusal: { code: 'slow_down' }, user: null });
  now = 1000;
  expect((await guests.handle(asked(5))).user).toBe('user of 5 for 5');
});

it('where the broker has no users nobody gets one', async () => {
  const guests = new Guests(undefined, new Budget({ rate: 1, burst: 1 }), () => 0);
  expect(await guests.handle(asked(7))).toEqual({ refusal: null, user: null });
});
