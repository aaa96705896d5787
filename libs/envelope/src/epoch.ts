/**
 * Epoch keys, the only ones that encrypt between parties, and the pair keys that two of them make.
 *
 * They live in memory only. A keyring holds the current one and the one before, until its overlap ends; then the older
 * is wiped, and nothing recorded under it opens again.
 *
 * Spec: spec/envelope.md#epochs; vectors: spec/vectors/kx.json.
 */
import { keepLatest } from '@natrium/model';
import { compareBytes, mapKey } from './bytes.js';
import { keyId } from './keys.js';
import { randomBytes } from './random.js';
import { Slab } from './slab.js';
import { sodium } from './sodium.js';

/** X25519; times in ms since 1970. */
export interface EpochKey {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
}

interface Held {
  readonly key: EpochKey;
  readonly id: Uint8Array;
  readonly until: number;
}

export class EpochKeyring {
  #current: Held | undefined;
  #previous: Held | undefined;

  constructor(private readonly owner: Uint8Array) {}

  /** @throws {Error} Before the first `rotate`. */
  get current(): EpochKey {
    return this.#newest().key;
  }

  /** @throws {Error} Before the first `rotate`. */
  get currentKeyId(): Uint8Array {
    return this.#newest().id;
  }

  /** Begins a new epoch; the key before is kept for the overlap, which is never longer than the epoch. `notBefore` only rises. */
  rotate(nowMs: number, lifetimeMs: number, overlapMs: number, seed: Uint8Array = randomBytes(32)): EpochKey {
    const overlap = Math.min(overlapMs, lifetimeMs);
    const before = this.#current;
    const notBefore = Math.max(nowMs, before === undefined ? 0 : before.key.notBefore + 1);
    const key = epochKeyFrom(seed, notBefore, notBefore + lifetimeMs + overlap);
    if (this.#previous !== undefined) wipe(this.#previous);
    this.#previous = before && { ...before, until: Math.min(before.until, nowMs + overlap) };
    this.#current = { key, id: keyId(this.owner, key.publicKey), until: key.notAfter };
    this.expire(nowMs);
    return key;
  }

  /** Drops the previous key once its overlap has ended. */
  expire(nowMs: number): void {
    if (this.#previous === undefined || nowMs < this.#previous.until) return;
    wipe(this.#previous);
    this.#previous = undefined;
  }

  byKeyId(id: Uint8Array): EpochKey | undefined {
    return keyWith(id, this.#current) ?? keyWith(id, this.#previous);
  }

  #newest(): Held {
    if (this.#current === undefined) throw new Error('this keyring has no epoch key yet');
    return this.#current;
  }
}

/** @param seed 32 bytes. The key pair is `crypto_kx_seed_keypair`'s. */
export function epochKeyFrom(seed: Uint8Array, notBefore: number, notAfter: number): EpochKey {
  const pair = sodium.crypto_kx_seed_keypair(seed);
  return { publicKey: pair.publicKey, secretKey: pair.privateKey, notBefore, notAfter };
}

function keyWith(id: Uint8Array, held: Held | undefined): EpochKey | undefined {
  return held !== undefined && compareBytes(held.id, id) === 0 ? held.key : undefined;
}

function wipe(held: Held): void {
  held.key.secretKey.fill(0);
}

function isWiped({ secretKey }: EpochKey): boolean {
  return secretKey.every((byte) => byte === 0);
}

/** Two epoch keys that make no pair: equal, of low order, not 32 bytes, or the own one wiped. */
export class PairRefused extends Error {
  override readonly name = 'PairRefused';
  readonly code = 'ERR_PAIR_REFUSED';
}

interface Pair {
  readonly tx: Uint8Array;
  readonly rx: Uint8Array;
}

interface Pairs {
  /** By the array itself that holds the peer's public key: a known party's is always the same array, whose bytes never change. */
  byObject: WeakMap<Uint8Array, Pair>;
  readonly byKey: Map<string, Pair>;
  /** Where they lie: they end with the own key. */
  readonly slab: Slab;
}

/** Bytes of a pair. */
const PAIR = 64;

/** Keys of one direction between two epoch keys, made once for each pair; the oldest pairs are dropped beyond `max`. */
export class PairKeys {
  // By the own key's object: when the keyring lets it go, its pairs go with it.
  readonly #pairs = new WeakMap<EpochKey, Pairs>();

  constructor(private readonly max = 32_768) {}

  /** @throws {PairRefused} When the keys are equal, libsodium refuses the peer's, or the own one was wiped before the two met. */
  txTo(own: EpochKey, peerPublic: Uint8Array): Uint8Array {
    return this.#pair(own, peerPublic).tx;
  }

  /** @throws {PairRefused} As `txTo`. */
  rxFrom(own: EpochKey, peerPublic: Uint8Array): Uint8Array {
    return this.#pair(own, peerPublic).rx;
  }

  #pair(own: EpochKey, peerPublic: Uint8Array): Pair {
    const pairs = this.#pairsOf(own);
    const met = pairs.byObject.get(peerPublic);
    if (met !== undefined) return met;
    const name = mapKey(peerPublic);
    const pair = pairs.byKey.get(name) ?? makePair(own, peerPublic, pairs.slab);
    pairs.byKey.set(name, pair);
    if (keepLatest(pairs.byKey, this.max)) pairs.byObject = new WeakMap(); // the others are met again
    pairs.byObject.set(peerPublic, pair);
    return pair;
  }

  #pairsOf(own: EpochKey): Pairs {
    const known = this.#pairs.get(own);
    if (known !== undefined) return known;
    const pairs = { byObject: new WeakMap(), byKey: new Map(), slab: new Slab(PAIR) };
    this.#pairs.set(own, pairs);
    return pairs;
  }
}

function makePair(own: EpochKey, peer: Uint8Array, slab: Slab): Pair {
  const { sharedTx, sharedRx } = sessionKeys(own, peer);
  const both = slab.take();
  both.set(sharedTx);
  both.set(sharedRx, PAIR / 2);
  return { tx: both.subarray(0, PAIR / 2), rx: both.subarray(PAIR / 2) };
}

/** The bytewise lower public key is the client. A pair of zeros for a secret could be made by whoever knows the peer's public key. */
function sessionKeys(own: EpochKey, peer: Uint8Array) {
  if (isWiped(own)) throw new PairRefused('the own epoch key has been wiped');
  const order = compareBytes(own.publicKey, peer);
  if (order === 0) throw new PairRefused('the peer has the same epoch key');
  try {
    return order < 0
      ? sodium.crypto_kx_client_session_keys(own.publicKey, own.secretKey, peer)
      : sodium.crypto_kx_server_session_keys(own.publicKey, own.secretKey, peer);
  } catch (cause) {
    throw new PairRefused('libsodium makes no pair of these epoch keys', { cause });
  }
}

/** Tells whether a pair can be made with this public key at all: it has 32 bytes and isn't of low order. */
export function isUsableEpochKey(publicKey: Uint8Array): boolean {
  try {
    sessionKeys(probe(), publicKey);
    return true;
  } catch (error) {
    if (error instanceof PairRefused) return false;
    throw error;
  }
}

let probeKey: EpochKey | undefined;

/** Any key finds low orders out; this one is random, so that nobody can announce its equal. */
function probe(): EpochKey {
  probeKey ??= epochKeyFrom(randomBytes(32), 0, 0);
  return probeKey;
}
