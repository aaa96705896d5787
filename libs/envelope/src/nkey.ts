/**
 * The broker's own spelling of an Ed25519 key: a prefix, the key, a checksum, in upper-case base32.
 *
 * NATS's library derives a key pair to spell its public half, in 5 ms of plain JavaScript; here the key is known already.
 * Source: https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

import { base32, concat } from './bytes.js';
import { randomBytes } from './random.js';
import { sodium } from './sodium.js';

export type NkeyKind = 'operator' | 'account' | 'user';

const PREFIX: Readonly<Record<NkeyKind, number>> = { operator: 14 << 3, account: 0, user: 20 << 3 };
const SEED = 18 << 3;
const CRC_POLYNOMIAL = 0x1021;

/**
 * A key that the broker knows: it signs login challenges and JWTs, nothing of ours. Its signatures carry no purpose, so no
 * key of the protocol may be one.
 */
export class NatsKey {
  readonly publicKey: Uint8Array;
  readonly #seed: Uint8Array;
  #native: KeyObject | undefined;

  private constructor(
    readonly kind: NkeyKind,
    seed: Uint8Array,
  ) {
    this.#seed = seed;
    this.publicKey = sodium.crypto_sign_seed_keypair(seed).publicKey;
  }

  /** @param seed 32 bytes. */
  static fromSeed(kind: NkeyKind, seed: Uint8Array): NatsKey {
    return new NatsKey(kind, new Uint8Array(seed));
  }

  static generate(kind: NkeyKind): NatsKey {
    return new NatsKey(kind, randomBytes(32));
  }

  get seed(): Uint8Array {
    return this.#seed;
  }

  /** The public half as the broker spells it. */
  get name(): string {
    return nkeyText(this.kind, this.publicKey);
  }

  get seedText(): string {
    return nkeySeedText(this.kind, this.#seed);
  }

  sign(bytes: Uint8Array): Uint8Array {
    this.#native ??= createPrivateKey({
      key: Buffer.concat([PKCS8, this.#seed]),
      format: 'der',
      type: 'pkcs8',
    });
    return new Uint8Array(sign(null, bytes, this.#native));
  }
}

/** What stands before an Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param key 32 bytes. */
export function nkeyText(kind: NkeyKind, key: Uint8Array): string {
  return spelled(concat(Uint8Array.of(PREFIX[kind]), key));
}

/** The secret half, as credential files hold it. @param seed 32 bytes. */
function nkeySeedText(kind: NkeyKind, seed: Uint8Array): string {
  const role = PREFIX[kind];
  return spelled(concat(Uint8Array.of(SEED | (role >> 5), (role & 31) << 3), seed));
}

/** The 32 bytes of a user's seed; undefined for anything else. */
export function nkeySeedIn(text: string): Uint8Array | undefined {
  const raw = unspelled(text.trim());
  return raw?.length === 34 && nkeySeedText('user', raw.subarray(2)) === text.trim() ? raw.slice(2) : undefined;
}

function spelled(payload: Uint8Array): string {
  const sum = crc16(payload);
  return base32(concat(payload, Uint8Array.of(sum & 255, sum >> 8))).toUpperCase();
}

/** Without the checksum, which is compared by spelling it again. */
function unspelled(text: string): Uint8Array | undefined {
  if (!/^[A-Z2-7]{58}$/.test(text)) return undefined;
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const letter of text) {
    held = ((held << 5) | 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) bytes.push((held >> (bits -= 8)) & 255);
  }
  return Uint8Array.from(bytes.slice(0, -2));
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? CRC_POLYNOMIAL : 0)) & 0xffff;
  }
  return sum;
}
