/**
 * Names of keys, and the identity of a host or an account: one secret, two signing keys derived from it.
 *
 * Spec: spec/envelope.md#keys; vectors: spec/vectors/keys.json.
 */
import { createHash } from 'node:crypto';

import { base32, concat, fromHex, toHex, utf8 } from './bytes.js';
import { randomBytes } from './random.js';
import { type Cluster, SigningKey } from './signing.js';
import { blake2b, sodium } from './sodium.js';

const CONTEXT = 'natrium1';
const FP = utf8('natrium/1/fp\0');
const KEY_ID = utf8('natrium/1/key\0');

export interface Identity {
  readonly signing: SigningKey;
  /** The public half of `signing`: what people accept. */
  readonly publicKey: Uint8Array;
  /** The seed that answers the broker's login challenge; it signs nothing else. */
  readonly nkeySeed: Uint8Array;
  readonly nkeyPublic: Uint8Array;
}

export function newIdentitySecret(): Uint8Array {
  return randomBytes(32);
}

/** @param secret 32 bytes: all that is ever stored of an identity. */
export function identityFrom(secret: Uint8Array): Identity {
  const nkeySeed = sodium.crypto_kdf_derive_from_key(32, 2, CONTEXT, secret);
  const signing = SigningKey.fromSeed(sodium.crypto_kdf_derive_from_key(32, 1, CONTEXT, secret));
  const nkeyPublic = sodium.crypto_sign_seed_keypair(nkeySeed).publicKey;
  const identity = { signing, publicKey: signing.publicKey, nkeySeed, nkeyPublic };
  // Not enumerable: a logger that prints the object doesn't meet it.
  return Object.defineProperty(identity, 'nkeySeed', { enumerable: false, writable: false, configurable: false });
}

/** The name of a cluster in signed bytes: SHA-256 of its first root's public key. */
export function clusterOf(firstRoot: Uint8Array): Cluster {
  return new Uint8Array(createHash('sha256').update(firstRoot).digest());
}

/** What people compare: SHA-256 of the public key as 32 hexadecimal pairs with colons. */
export function fingerprint(publicKey: Uint8Array): string {
  return toHex(clusterOf(publicKey)).replace(/..(?=.)/g, '$&:');
}

/** A key's name in subjects and bucket keys: 26 characters, lower-case base32. */
export function fp(publicKey: Uint8Array): string {
  return base32(blake2b(32, null, FP, publicKey).subarray(0, 16));
}

/** The name of an epoch key together with its owner, so that nobody can announce another's as his own. */
export function keyId(ownerPublicKey: Uint8Array, epochPublicKey: Uint8Array): Uint8Array {
  return new Uint8Array(blake2b(32, null, KEY_ID, ownerPublicKey, epochPublicKey)); // kept for as long as its party is known
}

/** What stands before the 32 bytes of an Ed25519 key in a public key file (RFC 8410). */
const PEM_HEAD = fromHex('302a300506032b6570032100');

/** As `salt-key -p` prints a public key and other programs read it, without a line end. */
export function pemOf(key: Uint8Array): string {
  const base64 = Buffer.from(concat(PEM_HEAD, key)).toString('base64');
  return `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----`;
}
