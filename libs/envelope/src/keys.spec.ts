import { toHex } from './bytes.js';
import { clusterOf, fingerprint, fp, identityFrom, keyId, newIdentitySecret } from './keys.js';
import { identityOf, seedOf } from './parties.spec-support.js';
import { sodium, sodiumReady } from './sodium.js';

await sodiumReady();

describe('an identity', () => {
  it('has two different keys, both derived from its one secret', () => {
    const identity = identityFrom(seedOf('web1'));
    expect(identity.publicKey).toEqual(identityFrom(seedOf('web1')).publicKey);
    expect(identity.publicKey).not.toEqual(identity.nkeyPublic);
    expect(sodium.crypto_sign_seed_keypair(identity.nkeySeed).publicKey).toEqual(identity.nkeyPublic);
  });

  it('is another for each new secret', () => {
    expect(identityFrom(newIdentitySecret()).publicKey).not.toEqual(identityFrom(newIdentitySecret()).publicKey);
  });

  it('does not show its secrets when listed or serialised', () => {
    const identity = identityOf('web1');
    expect(Object.keys(identity)).toEqual(['signing', 'publicKey', 'nkeyPublic']);
    expect(identity.nkeySeed).toHaveLength(32);
  });

  it('refuses a secret of another size', () => {
    expect(() => identityFrom(new Uint8Array(31))).toThrow();
  });
});

describe('names of keys', () => {
  const { publicKey } = identityOf('web1');

  it('a fingerprint is 32 pairs with colons, the SHA-256 of the key', () => {
    expect(fingerprint(publicKey)).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
    expect(fingerprint(publicKey).replaceAll(':', '')).toBe(toHex(clusterOf(publicKey)));
  });

  it('fp is 26 characters of base32, and another for another key', () => {
    expect(fp(publicKey)).toMatch(/^[a-z2-7]{26}$/);
    expect(fp(identityOf('web2').publicKey)).not.toBe(fp(publicKey));
  });

  it('a key id names the owner too: the same epoch key under another owner has another', () => {
    const epoch = seedOf('epoch');
    expect(keyId(publicKey, epoch)).toEqual(keyId(publicKey, epoch));
    expect(keyId(identityOf('web2').publicKey, epoch)).not.toEqual(keyId(publicKey, epoch));
    expect(keyId(publicKey, seedOf('epoch 2'))).not.toEqual(keyId(publicKey, epoch));
  });
});
