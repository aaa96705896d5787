import { createPrivateKey, sign } from 'node:crypto';
import { concat, fromHex, toHex, utf8 } from './bytes.js';
import { clusterOf } from './keys.js';
import { CLUSTER, identityOf, rootOf } from './parties.spec-support.js';
import { randomBytes } from './random.js';
import { signed, SIGNED_WHATS, signedFromWire, signedToWire, SigningKey, type SignedWhat, verify } from './signing.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const { signing } = identityOf('web1');
const bytes = utf8('what is signed');
const pairs = SIGNED_WHATS.flatMap((what) => SIGNED_WHATS.map((as): [SignedWhat, SignedWhat] => [what, as]));

describe('a signature', () => {
  it.each(pairs)('for %s is worth something as %s only when that is the same', (what, as) => {
    expect(verify(as, CLUSTER(), signing.publicKey, bytes, signing.sign(what, CLUSTER(), bytes))).toBe(what === as);
  });

  it('is worth nothing in another cluster', () => {
    const signature = signing.sign('request', CLUSTER(), bytes);
    expect(verify('request', clusterOf(rootOf('other').publicKey), signing.publicKey, bytes, signature)).toBe(false);
  });

  it('is worth nothing under another key or for other bytes', () => {
    const signature = signing.sign('request', CLUSTER(), bytes);
    expect(verify('request', CLUSTER(), identityOf('web2').publicKey, bytes, signature)).toBe(false);
    expect(verify('request', CLUSTER(), signing.publicKey, utf8('what is Signed'), signature)).toBe(false);
  });

  it('of another size, or under a key of another size, is refused without a throw', () => {
    const signature = signing.sign('request', CLUSTER(), bytes);
    expect(verify('request', CLUSTER(), signing.publicKey, bytes, signature.subarray(1))).toBe(false);
    expect(verify('request', CLUSTER(), signing.publicKey.subarray(1), bytes, signature)).toBe(false);
    expect(verify('request', CLUSTER().subarray(1), signing.publicKey, bytes, signature)).toBe(false);
  });

  it('is byte for byte what OpenSSL makes over `natrium/1/<what>`, zero, cluster and bytes', () => {
    const d = Buffer.from(signing.seed).toString('base64url');
    const x = Buffer.from(signing.publicKey).toString('base64url');
    const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
    const message = concat(utf8('natrium/1/grant-job\0'), CLUSTER(), bytes);
    expect(toHex(signing.sign('grant-job', CLUSTER(), bytes))).toBe(sign(null, message, key).toString('hex'));
  });

  it('under a key of low order, which fits anything, is refused', () => {
    const identityPoint = fromHex(`01${'00'.repeat(31)}`);
    const forged = fromHex(`01${'00'.repeat(63)}`);
    expect(verify('request', CLUSTER(), identityPoint, bytes, forged)).toBe(false);
  });
});

describe('a signing key', () => {
  it('is the same from the same seed, and another each time it is generated', () => {
    const seed = randomBytes(32);
    expect(SigningKey.fromSeed(seed).publicKey).toEqual(SigningKey.fromSeed(seed).publicKey);
    expect(SigningKey.generate().publicKey).not.toEqual(SigningKey.generate().publicKey);
  });

  it('does not change with the bytes it was made from', () => {
    const seed = new Uint8Array(32).fill(7);
    const key = SigningKey.fromSeed(seed);
    seed.fill(0);
    expect(key.seed).toEqual(new Uint8Array(32).fill(7));
  });

  it('does not show its seed when printed or serialised', () => {
    const key = SigningKey.fromSeed(new Uint8Array(32).fill(7));
    expect(Object.keys(key)).toEqual(['publicKey']);
    expect(JSON.stringify(key)).not.toContain('7,7');
  });
});

describe('a signed object', () => {
  it('travels as bytes and signature', () => {
    const object = signed(signing, 'data', CLUSTER(), bytes);
    expect(signedFromWire(signedToWire(object))).toEqual(object);
  });

  it('holds 8 MiB', () => {
    expect(signedFromWire([new Uint8Array(8 << 20), new Uint8Array(64)])?.bytes).toHaveLength(8 << 20);
  });

  it.each([
    ['one part', [bytes]],
    ['three parts', [bytes, new Uint8Array(64), 1]],
    ['a short signature', [bytes, new Uint8Array(63)]],
    ['no bytes', [new Uint8Array(0), new Uint8Array(64)]],
    ['more than 8 MiB', [new Uint8Array((8 << 20) + 1), new Uint8Array(64)]],
    ['a text for bytes', ['bytes', new Uint8Array(64)]],
    ['no list', bytes],
  ])('is not read from %s', (_name, wire) => {
    expect(signedFromWire(wire)).toBeUndefined();
  });
});
