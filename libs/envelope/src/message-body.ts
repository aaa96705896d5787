/**
 * The body of a message, under a content key that is used once, and the wraps that hand that key to recipients.
 *
 * The content key gives the body's key and a commitment to it, which the header carries: no ciphertext opens two ways.
 * A wrap is bound to sender, recipient, and all of header and body.
 *
 * Spec: spec/envelope.md#body, #wraps; vectors: spec/vectors/body.json, spec/vectors/messages.json.
 */
import { NONCE_BYTES, openWith, sealWith } from './aead.js';
import { concat, u32, utf8 } from './bytes.js';
import { pad } from './padding.js';
import { randomBytes } from './random.js';
import { blake2b } from './sodium.js';

export const CONTENT_KEY_BYTES = 32;

const BODY = utf8('natrium/1/body');
const WRAP = utf8('natrium/1/wrap\0');
/** The body's key is used once, so its nonce may be nothing. */
const ZERO_NONCE = new Uint8Array(NONCE_BYTES);
const NOTHING = new Uint8Array(0);

export interface BodyKeys {
  readonly key: Uint8Array;
  /** The commitment to the content key. */
  readonly commitment: Uint8Array;
}

export function bodyKeys(contentKey: Uint8Array): BodyKeys {
  const both = blake2b(64, contentKey, BODY);
  return { key: both.subarray(0, 32), commitment: both.subarray(32) };
}

export function sealBody(key: Uint8Array, header: Uint8Array, plaintext: Uint8Array): Uint8Array {
  return sealWith(key, ZERO_NONCE, header, pad(plaintext));
}

/** @returns The padded plaintext; undefined when it doesn't open under this header. */
export function openBody(key: Uint8Array, header: Uint8Array, body: Uint8Array): Uint8Array | undefined {
  return openWith(key, ZERO_NONCE, header, body);
}

/** What a wrap binds of the message: the header's length comes first, so no byte moves across to the body unseen. */
export function messageHash(header: Uint8Array, body: Uint8Array): Uint8Array {
  return blake2b(32, null, u32(header.length), header, body);
}

/** Who wraps for whom, and what of which message. */
export interface WrapPlace {
  readonly sender: Uint8Array;
  readonly recipient: Uint8Array;
  readonly hash: Uint8Array;
}

export interface Wrap {
  readonly recipient: Uint8Array;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

export function sealWrap(
  pairKey: Uint8Array,
  place: WrapPlace,
  contentKey: Uint8Array,
  privatePart: Uint8Array = NOTHING,
  nonce: Uint8Array = randomBytes(NONCE_BYTES),
): Wrap {
  const plaintext = privatePart.length === 0 ? contentKey : concat(contentKey, privatePart);
  return { recipient: place.recipient, nonce, sealed: sealWith(pairKey, nonce, wrapData(place), plaintext) };
}

export interface Unwrapped {
  readonly contentKey: Uint8Array;
  readonly private: Uint8Array;
}

export function openWrap(pairKey: Uint8Array, place: WrapPlace, wrap: Wrap): Unwrapped | undefined {
  const plaintext = openWith(pairKey, wrap.nonce, wrapData(place), wrap.sealed);
  if (plaintext === undefined || plaintext.length < CONTENT_KEY_BYTES) return undefined;
  return { contentKey: plaintext.subarray(0, CONTENT_KEY_BYTES), private: plaintext.subarray(CONTENT_KEY_BYTES) };
}

function wrapData({ sender, recipient, hash }: WrapPlace): Uint8Array {
  return concat(WRAP, sender, recipient, hash);
}
