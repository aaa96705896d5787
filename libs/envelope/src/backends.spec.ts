/** The native libsodium and the WebAssembly give the same results and the same refusals: a process may run with either. */
import fc from 'fast-check';
import { concat, fromHex, utf8 } from './bytes.js';
import { nativeSodium as native } from './native-sodium.js';
import { randomBytes } from './random.js';
import type { SodiumFunctions } from './sodium-functions.js';
import { sodium, sodiumBuild, sodiumReady } from './sodium.js';
import { wasmSodium } from './wasm-sodium.js';

const wasm = await wasmSodium();
const backends: readonly [string, SodiumFunctions][] = [
  ['native', native],
  ['wasm', wasm],
];

const bytes = (most: number) => fc.uint8Array({ maxLength: most });
const exactly = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

/** The order of the group that signatures live in, least byte first: S + L is the same S to whoever does not look. */
const GROUP_ORDER = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');
/** Points of small order, in every encoding that a careless reader takes (libsodium's own list of them). */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].flatMap((hex) => {
  const point = fromHex(hex);
  const negative = new Uint8Array(point);
  negative[31] = (negative[31] ?? 0) | 0x80;
  return [point, negative];
});

const keys = native.crypto_sign_seed_keypair(new Uint8Array(32).fill(7));
const message = utf8('what is signed');
const signature = native.crypto_sign_detached(message, keys.privateKey);

function withBit(of: Uint8Array, bit: number): Uint8Array {
  const changed = new Uint8Array(of);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

function plusGroupOrder(scalar: Uint8Array): Uint8Array {
  let carry = 0;
  return scalar.map((byte, index) => {
    const sum = byte + (GROUP_ORDER[index] ?? 0) + carry;
    carry = sum >> 8;
    return sum & 255;
  });
}

/** Signatures and keys that some libraries take and others do not. */
const doubtful: readonly [string, Uint8Array, Uint8Array][] = [
  ['S + L', concat(signature.subarray(0, 32), plusGroupOrder(signature.subarray(32))), keys.publicKey],
  ...SMALL_ORDER.flatMap((point, index): [string, Uint8Array, Uint8Array][] => [
    [`key of small order ${String(index)}`, concat(point, new Uint8Array(32)), point],
    [`R of small order ${String(index)}`, concat(point, signature.subarray(32)), keys.publicKey],
    [`identity as R under key ${String(index)}`, concat(fromHex(`01${'00'.repeat(31)}`), new Uint8Array(32)), point],
  ]),
];

it('the native one is used where there is a build of it, and each says which one it is', async () => {
  await sodiumReady();
  expect(sodium).toBe(native);
  expect([sodiumBuild(), native.build, wasm.build]).toEqual(['native', 'native', 'webassembly']);
});

describe('both backends', () => {
  it('hash alike, in one part or many, with a key or without', () => {
    const key = fc.option(fc.uint8Array({ minLength: 16, maxLength: 64 }));
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 64 }), fc.array(bytes(300)), key, (size, parts, secret) => {
        const whole = concat(...parts);
        const expected = wasm.crypto_generichash(size, whole, secret);
        expect(native.crypto_generichash(size, whole, secret)).toEqual(expected);
        expect(native.crypto_generichash_batch(size, parts, secret)).toEqual(expected);
        expect(wasm.crypto_generichash_batch(size, parts, secret)).toEqual(expected);
      }),
    );
  });

  it('make the same signing keys and signatures', () => {
    fc.assert(
      fc.property(exactly(32), bytes(300), (seed, text) => {
        const pair = native.crypto_sign_seed_keypair(seed);
        expect(wasm.crypto_sign_seed_keypair(seed)).toMatchObject(pair);
        const made = native.crypto_sign_detached(text, pair.privateKey);
        expect(wasm.crypto_sign_detached(text, pair.privateKey)).toEqual(made);
        for (const [, one] of backends) expect(one.crypto_sign_verify_detached(made, text, pair.publicKey)).toBe(true);
      }),
    );
  });

  it.each(backends)(
    '%s takes no signature that one bit of is changed',
    (_, { crypto_sign_verify_detached: verify }) => {
      expect(verify(signature, message, keys.publicKey)).toBe(true);
      for (let bit = 0; bit < 512; bit += 1)
        expect([bit, verify(withBit(signature, bit), message, keys.publicKey)]).toEqual([bit, false]);
    },
  );

  it.each(backends)('%s takes no key that one bit of is changed', (_, { crypto_sign_verify_detached: verify }) => {
    for (let bit = 0; bit < 256; bit += 1)
      expect([bit, verify(signature, message, withBit(keys.publicKey, bit))]).toEqual([bit, false]);
  });

  it.each(doubtful)('refuse %s', (_, doubted, publicKey) => {
    for (const [, one] of backends) expect(one.crypto_sign_verify_detached(doubted, message, publicKey)).toBe(false);
  });

  it('derive the same keys, and agree on the same ones from either side', () => {
    fc.assert(
      fc.property(exactly(32), exactly(32), fc.integer({ min: 0, max: 9 }), (one, other, id) => {
        fc.pre(!one.every((byte, index) => byte === other[index]));
        expect(native.crypto_kdf_derive_from_key(32, id, 'natrium1', one)).toEqual(
          wasm.crypto_kdf_derive_from_key(32, id, 'natrium1', one),
        );
        const client = native.crypto_kx_seed_keypair(one);
        const server = wasm.crypto_kx_seed_keypair(other);
        expect(wasm.crypto_kx_seed_keypair(one)).toMatchObject(client);
        const atClient = native.crypto_kx_client_session_keys(client.publicKey, client.privateKey, server.publicKey);
        const atServer = wasm.crypto_kx_server_session_keys(server.publicKey, server.privateKey, client.publicKey);
        expect(atServer).toEqual({ sharedRx: atClient.sharedTx, sharedTx: atClient.sharedRx });
        expect(native.crypto_kx_server_session_keys(server.publicKey, server.privateKey, client.publicKey)).toEqual(
          atServer,
        );
      }),
    );
  });

  it.each(backends)('%s makes no pair with a point of small order', (_, one) => {
    const { publicKey, privateKey } = one.crypto_kx_seed_keypair(new Uint8Array(32).fill(3));
    const zero = new Uint8Array(32);
    expect(() => one.crypto_kx_client_session_keys(publicKey, privateKey, zero)).toThrow();
    expect(() => one.crypto_kx_server_session_keys(publicKey, privateKey, zero)).toThrow();
  });

  it('seal alike, and open what the other has sealed', () => {
    fc.assert(
      fc.property(bytes(2000), bytes(200), exactly(24), exactly(32), (text, additional, nonce, key) => {
        const sealed = native.crypto_aead_xchacha20poly1305_ietf_encrypt(text, additional, null, nonce, key);
        expect(wasm.crypto_aead_xchacha20poly1305_ietf_encrypt(text, additional, null, nonce, key)).toEqual(sealed);
        for (const [, one] of backends)
          expect(one.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, additional, nonce, key)).toEqual(text);
      }),
    );
  });

  it.each(backends)('%s opens nothing that one bit of is changed', (_, one) => {
    const [nonce, key, additional] = [randomBytes(24), randomBytes(32), utf8('place')];
    const sealed = one.crypto_aead_xchacha20poly1305_ietf_encrypt(message, additional, null, nonce, key);
    const open = (changed: Uint8Array, place: Uint8Array) => () =>
      one.crypto_aead_xchacha20poly1305_ietf_decrypt(null, changed, place, nonce, key);
    for (let bit = 0; bit < 8 * sealed.length; bit += 1) expect(open(withBit(sealed, bit), additional)).toThrow();
    for (let bit = 0; bit < 8 * additional.length; bit += 1) expect(open(sealed, withBit(additional, bit))).toThrow();
  });

  it.each(backends)('%s puts what it seals where it is told to, and takes no place of another size', (_, one) => {
    const [nonce, key, additional] = [randomBytes(24), randomBytes(32), utf8('place')];
    const seal = (into: Uint8Array | null) =>
      one.crypto_aead_xchacha20poly1305_ietf_encrypt(message, additional, into, nonce, key);
    const place = new Uint8Array(message.length + 16);
    expect(seal(place)).toBe(place);
    expect(place).toEqual(seal(null));
    for (const wrong of [-1, 1]) expect(() => seal(new Uint8Array(place.length + wrong))).toThrow();
  });

  it.each(backends)('%s takes no key, nonce, seed or signature of another size', (_, one) => {
    const [short, key] = [new Uint8Array(23), new Uint8Array(32)];
    const pair = one.crypto_kx_seed_keypair(key);
    const sealed = one.crypto_aead_xchacha20poly1305_ietf_encrypt(message, message, null, new Uint8Array(24), key);
    for (const wrong of [
      () => one.crypto_sign_seed_keypair(short),
      () => one.crypto_sign_detached(message, short),
      () => one.crypto_sign_verify_detached(short, message, keys.publicKey),
      () => one.crypto_sign_verify_detached(concat(signature, short), message, keys.publicKey),
      () => one.crypto_sign_verify_detached(signature, message, short),
      () => one.crypto_kdf_derive_from_key(32, 1, 'natrium1', short),
      () => one.crypto_kx_seed_keypair(short),
      () => one.crypto_kx_client_session_keys(key, key, short),
      () => one.crypto_aead_xchacha20poly1305_ietf_encrypt(message, message, null, short, key),
      () => one.crypto_aead_xchacha20poly1305_ietf_encrypt(message, message, null, new Uint8Array(24), short),
      () =>
        one.crypto_aead_xchacha20poly1305_ietf_decrypt(null, short.subarray(0, 15), message, new Uint8Array(24), key),
      () => one.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, message, short, key),
      () => one.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, message, new Uint8Array(24), short),
      () => one.crypto_generichash(65, message, null),
      () => one.crypto_generichash(32, message, new Uint8Array(65)),
      () => one.crypto_generichash_batch(65, [message], null),
      () => one.crypto_generichash_batch(32, [message], new Uint8Array(65)),
      () => one.crypto_kx_client_session_keys(short, key, pair.publicKey),
      () => one.crypto_kx_client_session_keys(key, short, pair.publicKey),
      () => one.crypto_kx_server_session_keys(short, key, pair.publicKey),
      () => one.crypto_kx_server_session_keys(key, short, pair.publicKey),
      () => one.crypto_kx_server_session_keys(key, key, short),
    ])
      expect(wrong).toThrow();
  });

  it('native ends no process for what only its binding would look at', () => {
    const [nonce, key] = [new Uint8Array(24), new Uint8Array(32)];
    const sealed = native.crypto_aead_xchacha20poly1305_ietf_encrypt(message, message, null, nonce, key);
    for (const wrong of [
      () => native.crypto_kdf_derive_from_key(65, 1, 'natrium1', key),
      () => native.crypto_kdf_derive_from_key(15, 1, 'natrium1', key),
      () => native.crypto_kdf_derive_from_key(32, 1, 'natrium', key),
      () => native.crypto_generichash(15, message, null),
      () => native.crypto_generichash(32, message, new Uint8Array(15)),
      () => native.crypto_generichash_batch(15, [message], null),
      () => native.crypto_generichash_batch(32, [message], new Uint8Array(15)),
      ...[-1, 1].map((wrong) => () => {
        const into = new Uint8Array(message.length + wrong);
        return native.crypto_aead_xchacha20poly1305_ietf_decrypt(into, sealed, message, nonce, key);
      }),
    ])
      expect(wrong).toThrow();
  });
});
