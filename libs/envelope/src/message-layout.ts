/**
 * How a message is laid out: `[1, header, body, wraps]`, header and body as byte strings, so that both are verbatim.
 *
 * Spec: spec/envelope.md#message.
 */
import { err, MAX_BRIEF_VALUES, ok, type Result } from '@natrium/model';

import { NONCE_BYTES, TAG_BYTES } from './aead.js';
import { allocate, copied } from './bytes.js';
import { decode, encode, EncodingError, type Wire } from './encoding.js';
import { CONTENT_KEY_BYTES, type Wrap } from './message-body.js';
import { anyList, bin, blob, fields, int, listOf, MAX_TIME, orNull, shaped, shapedValue, text, time } from './shape.js';
import { readSigned, type Signed, signedToWire } from './signing.js';

const VERSION = 1;
const MAX_KIND = 32;
const MAX_WRAPS = 1024;
const MAX_PRIVATE = 8192;
const MAX_PART = 0x7fffffff;
/** The four of a message, and each wrap with its three. */
const MAX_PARTS = 4 + 4 * MAX_WRAPS;

export interface Header {
  /** 1 to 32 characters. */
  readonly kind: string;
  /** 16 bytes. */
  readonly messageId: Uint8Array;
  /** The sender's key id, or his whole announcement. */
  readonly from: Uint8Array | Signed;
  /** The message id of the question that this answers. */
  readonly re: Uint8Array | null;
  /** ms since 1970. */
  readonly issued: number;
  /** ms. */
  readonly lifetime: number;
  readonly commitment: Uint8Array;
}

export interface MessageParts {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly wraps: readonly Wrap[];
}

/** @throws {RangeError} When a field is out of bounds. */
export function encodeHeader(header: Header): Uint8Array {
  const { kind, messageId, from, re, issued, lifetime, commitment } = header;
  const fromWire = from instanceof Uint8Array ? from : signedToWire(from);
  const bytes = encode([kind, messageId, fromWire, re, issued, lifetime, commitment]);
  if (kind.length === 0 || kind.length > MAX_KIND || lifetime < 1)
    throw new RangeError('a header field is out of bounds');
  return bytes;
}

export function readHeader(bytes: Uint8Array): Header | undefined {
  const read = (wire: Wire): Header => {
    const [kind, messageId, from, re, issued, lifetime, commitment] = fields(wire, 7);
    return {
      kind: text(kind, MAX_KIND),
      messageId: copied(blob(messageId, 16, 16)),
      from: from instanceof Uint8Array ? blob(from, 32, 32) : readSigned(from),
      re: orNull(re, (id) => bin(id, 16)),
      issued: time(issued),
      lifetime: int(lifetime, 1, MAX_TIME),
      commitment: blob(commitment, 32, 32),
    };
  };
  return shaped(bytes, read, MAX_BRIEF_VALUES);
}

/** All of a message but its wraps, with room for one: the wrap's own bytes follow. */
export function encodeCommon(header: Uint8Array, body: Uint8Array): Uint8Array {
  const common = encode([VERSION, header, body, []]);
  common[common.length - 1] = 0x91; // the head of a list of one, where the empty list's is
  return common;
}

/**
 * The bytes of `before` and an encoded wrap after them, with room for its ciphertext, which is so sealed right where it belongs.
 *
 * @throws {RangeError} When a size is out of bounds.
 */
export function wrapAfter(
  before: Uint8Array,
  recipient: Uint8Array,
  nonce: Uint8Array,
  sealedSize: number,
): { readonly bytes: Uint8Array; readonly sealed: Uint8Array } {
  if (recipient.length !== 32 || nonce.length !== NONCE_BYTES || sealedSize > 0xffff)
    throw new RangeError('a part of a wrap is out of bounds');
  const sealedHead = sealedSize < 0x100 ? [0xc4, sealedSize] : [0xc5, sealedSize >>> 8, sealedSize & 0xff];
  const bytes = allocate(before.length + 37 + NONCE_BYTES + sealedHead.length + sealedSize);
  let at = before.length;
  bytes.set(before);
  bytes.set(RECIPIENT_HEAD, at);
  bytes.set(recipient, (at += RECIPIENT_HEAD.length));
  bytes.set(NONCE_HEAD, (at += recipient.length));
  bytes.set(nonce, (at += NONCE_HEAD.length));
  bytes.set(sealedHead, (at += nonce.length));
  return { bytes, sealed: bytes.subarray(at + sealedHead.length) };
}

/** Begins a list of three, and the byte string of 32 that is its first item. */
const RECIPIENT_HEAD = Uint8Array.of(0x93, 0xc4, 32);
const NONCE_HEAD = Uint8Array.of(0xc4, NONCE_BYTES);

/** Splits a message; its parts are views on `bytes`. */
export function splitMessage(bytes: Uint8Array): Result<MessageParts, 'version' | 'shape'> {
  const wire = decodeOrUndefined(bytes);
  if (wire === undefined) return err('shape');
  const version = shapedValue(wire, (value) => int(anyList(value)[0], 0, MAX_TIME));
  if (version === undefined) return err('shape');
  if (version !== VERSION) return err('version');
  const parts = shapedValue(wire, readParts);
  return parts === undefined ? err('shape') : ok(parts);
}

function decodeOrUndefined(bytes: Uint8Array): Wire | undefined {
  try {
    return decode(bytes, MAX_PARTS);
  } catch (error) {
    if (error instanceof EncodingError) return undefined;
    throw error;
  }
}

function readParts(wire: Wire): MessageParts {
  const [, header, body, wraps] = fields(wire, 4);
  return {
    header: blob(header, 1, MAX_PART),
    body: blob(body, TAG_BYTES, MAX_PART),
    wraps: listOf(wraps, MAX_WRAPS, readWrap),
  };
}

function readWrap(wire: Wire): Wrap {
  const [recipient, nonce, sealed] = fields(wire, 3);
  const least = CONTENT_KEY_BYTES + TAG_BYTES;
  return {
    recipient: blob(recipient, 32, 32),
    nonce: blob(nonce, NONCE_BYTES, NONCE_BYTES),
    sealed: blob(sealed, least, least + MAX_PRIVATE),
  };
}
