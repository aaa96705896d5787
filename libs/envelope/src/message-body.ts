/**
 * The body of a message, under a content key that is used once, and the wraps that hand that key to recipients.
 *
 * The content key gives the body's key and a commitment to it, which the header carries: no ciphertext opens two ways.
 * A wrap is bound to sender, recipient, and all of header and body.
 *
 * Spec: spec/envelope.md#body, #wraps; vectors: spec/vectors/body.json, spec/vectors/messages.json.
 */
import { NONCE_BYTES, openWith, sealWith, TAG_BYTES } from './aead.js';
import { concat, utf8 } from './bytes.js';
import { decode, decodeCopied, type Wire } from './encoding.js';
import { pad } from './padding.js';
import { randomBytes } from './random.js';
import { blake2b } from './sodium.js';

export const CONTENT_KEY_BYTES = 32;

const BODY = utf8('natrium/1/body');
const WRAP = utf8('natrium/1/wrap\0');
/** The body's key is used once, so its nonce may be nothing. */
const ZERO_NONCE = new Uint8Array(NONCE_BYTES);
/** Small bodies are opened into this one buffer: making a buffer for each takes longer than opening it. */
const opened = new Uint8Array(16_384);

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

/** @returns The padded plaintext, which is there until the next body is opened; undefined when it doesn't open under this header. */
export function openBody(key: Uint8Array, header: Uint8Array, body: Uint8Array): Uint8Array | undefined {
  const size = body.length - TAG_BYTES;
  const into = size >= 0 && size <= opened.length ? opened.subarray(0, size) : null;
  return openWith(key, ZERO_NONCE, header, body, into);
}

/** What the plaintext of an opened body says, in at most so many values; nothing of it is overwritten by the next one. @throws {EncodingError} */
export function readBody(plaintext: Uint8Array, most: number): Wire {
  return plaintext.buffer === opened.buffer ? decodeCopied(plaintext, most) : decode(plaintext, most);
}

/** What a wrap binds of the message: the header's length comes first, so no byte moves across to the body unseen. */
export function messageHash(header: Uint8Array, body: Uint8Array): Uint8Array {
  headerLength.setUint32(0, header.length);
  return blake2b(32, null, headerLengthBytes, header, body);
}

const headerLengthBytes = new Uint8Array(4);
const headerLength = new DataView(headerLengthBytes.buffer);

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

/** @param plaintext The content key, and after it what only this recipient may read. @param into Where the ciphertext is put. */
export function sealWrap(
  pairKey: Uint8Array,
  place: WrapPlace,
  plaintext: Uint8Array,
  nonce: Uint8Array = randomBytes(NONCE_BYTES),
  into: Uint8Array | null = null,
): Wrap {
  return { recipient: place.recipient, nonce, sealed: sealWith(pairKey, nonce, wrapData(place), plaintext, into) };
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

/** One buffer for the data that a wrap binds, written anew for each wrap: sender, recipient and hash have 32 bytes each. */
const wrapPlace = concat(WRAP, new Uint8Array(96));

function wrapData({ sender, recipient, hash }: WrapPlace): Uint8Array {
  if (sender.length !== 32 || recipient.length !== 32 || hash.length !== 32)
    throw new RangeError('not the place of a wrap');
  wrapPlace.set(sender, WRAP.length);
  wrapPlace.set(recipient, WRAP.length + 32);
  wrapPlace.set(hash, WRAP.length + 64);
  return wrapPlace;
}
