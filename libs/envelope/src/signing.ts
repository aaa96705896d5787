/**
 * Ed25519 signatures, each bound to what is signed and to the cluster.
 *
 * Signed are `natrium/1/<what>`, a zero byte, the fingerprint of the cluster's first root, and the bytes, which travel
 * verbatim: a signature for one purpose or cluster is worth nothing for another.
 *
 * Libsodium verifies, which also refuses keys of low order.
 *
 * Spec: spec/envelope.md#signing; vectors: spec/vectors/signing.json.
 */
import { MAX_BRIEF_VALUES, type Signed } from '@natrium/model';

import { concat, utf8 } from './bytes.js';
import { randomBytes } from './random.js';
import { anyList, bin, blob, fields, shaped, shapedValue } from './shape.js';
import { sodium } from './sodium.js';
import type { Wire } from './encoding.js';

export type { Signed };

export const SIGNED_WHATS = [
  'roles',
  'announce',
  'join',
  'succession',
  'roster',
  'data',
  'request',
  'grant-job',
  'grant-run',
  'time',
  'audit',
  'audit-cut',
] as const;
export type SignedWhat = (typeof SIGNED_WHATS)[number];

/** SHA-256 of the first root's public key, 32 bytes: the cluster's name for ever. */
export type Cluster = Uint8Array;

const SIGNATURE = 64;
const PREFIX = new Map<SignedWhat, Uint8Array>(SIGNED_WHATS.map((what) => [what, utf8(`natrium/1/${what}\0`)]));

export class SigningKey {
  readonly publicKey: Uint8Array;
  // Private fields: they never show when the key is printed or logged.
  readonly #seed: Uint8Array;
  readonly #privateKey: Uint8Array;

  private constructor(seed: Uint8Array) {
    this.#seed = seed;
    const { publicKey, privateKey } = sodium.crypto_sign_seed_keypair(seed);
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
  }

  /** @param seed 32 bytes. */
  static fromSeed(seed: Uint8Array): SigningKey {
    return new SigningKey(new Uint8Array(seed));
  }

  static generate(): SigningKey {
    return new SigningKey(randomBytes(32));
  }

  get seed(): Uint8Array {
    return this.#seed;
  }

  sign(what: SignedWhat, cluster: Cluster, bytes: Uint8Array): Uint8Array {
    return sodium.crypto_sign_detached(signedBytes(what, cluster, bytes), this.#privateKey);
  }
}

/** Tells whether `signature` is the key's over these bytes for this purpose in this cluster; never throws. */
export function verify(
  what: SignedWhat,
  cluster: Cluster,
  publicKey: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== 32 || signature.length !== SIGNATURE || cluster.length !== 32) return false;
  return sodium.crypto_sign_verify_detached(signature, signedBytes(what, cluster, bytes), publicKey);
}

/** The first of `keys` under which the signature holds; undefined when none. */
export function signerAmong(
  keys: readonly Uint8Array[],
  what: SignedWhat,
  cluster: Cluster,
  object: Signed,
): Uint8Array | undefined {
  return keys.find((key) => verify(what, cluster, key, object.bytes, object.signature));
}

export function signed(key: SigningKey, what: SignedWhat, cluster: Cluster, bytes: Uint8Array): Signed {
  return { bytes, signature: key.sign(what, cluster, bytes) };
}

/** A signed object as it travels in others: `[bytes, signature]`. */
export function signedToWire(object: Signed): Wire {
  return [object.bytes, object.signature];
}

/** @returns undefined when it isn't `[bytes, 64 bytes]`. */
export function signedFromWire(wire: Wire): Signed | undefined {
  return shapedValue(wire, readSigned);
}

/** What somebody has sent or stored. @returns undefined when these are no signed bytes. */
export function signedIn(bytes: Uint8Array): Signed | undefined {
  return shaped(bytes, readSigned, MAX_BRIEF_VALUES);
}

/** For readers of objects that hold signed ones; throws inside `shaped`. */
export function readSigned(wire: Wire | undefined): Signed {
  const [bytes, signature] = fields(anyList(wire), 2);
  return { bytes: new Uint8Array(blob(bytes, 1, MAX_SIGNED)), signature: bin(signature, SIGNATURE) };
}

/** The largest signed object is a request or a minion's data; the broker takes no more. */
const MAX_SIGNED = 8 << 20;

function signedBytes(what: SignedWhat, cluster: Cluster, bytes: Uint8Array): Uint8Array {
  return concat(PREFIX.get(what) ?? unknown(what), cluster, bytes);
}

function unknown(what: string): never {
  throw new RangeError(`nothing is signed as ${what}`);
}
