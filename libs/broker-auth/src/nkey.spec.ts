/** Keys as the broker spells them, compared with NATS's own library. */
import { fromSeed } from '@nats-io/jwt';
import { NatsKey, nkeySeedIn, nkeyText, sodiumReady } from '@natrium/envelope';

beforeAll(sodiumReady);

it.each(['operator', 'account', 'user'] as const)(
  'an %s key is spelled as NATS spells it, and signs as NATS signs',
  (kind) => {
    const own = NatsKey.generate(kind);
    const theirs = fromSeed(Buffer.from(own.seedText));
    expect(own.name).toBe(theirs.getPublicKey());
    expect(nkeyText(kind, own.publicKey)).toBe(own.name);
    const nonce = Buffer.from('a login challenge');
    expect(Buffer.from(own.sign(nonce))).toEqual(Buffer.from(theirs.sign(nonce)));
  },
);

it('a user’s seed is read back; a damaged one, or one of another kind, is none', () => {
  const key = NatsKey.generate('user');
  expect(Buffer.from(nkeySeedIn(`${key.seedText}\n`) ?? [])).toEqual(Buffer.from(key.seed));
  const damaged = key.seedText.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  for (const bad of ['', 'SU', damaged, NatsKey.generate('account').seedText, key.name])
    expect(nkeySeedIn(bad)).toBeUndefined();
});

it('a key that is printed shows no secret', () => {
  const key = NatsKey.generate('user');
  expect(JSON.stringify(key)).not.toContain('seed');
});
