/** Small things done to byte strings; no cryptography but the comparison in constant time. */
import { timingSafeEqual } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** As `Buffer`'s `toString` writes them, without a `Buffer` to make for each: native, and on any byte string. */
const { hexSlice, latin1Slice, utf8Slice } = Buffer.prototype as unknown as Record<
  'hexSlice' | 'latin1Slice' | 'utf8Slice',
  (this: Uint8Array, start: number, end: number) => string
>;

const POOL = 8192;

let pool = new ArrayBuffer(POOL);
let used = 0;

/**
 * Fresh zero bytes, from a common pool when they are few: an array buffer for each small string is dear.
 *
 * Plain `Uint8Array`s, not `Buffer`s, whose `slice` isn't a copy. What is kept for long should be copied.
 */
export function allocate(size: number): Uint8Array {
  if (size > POOL / 4) return new Uint8Array(size);
  if (used + size > POOL) {
    pool = new ArrayBuffer(POOL);
    used = 0;
  }
  const bytes = new Uint8Array(pool, used, size);
  used += size;
  return bytes;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const whole = allocate(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A copy, which holds nothing of where it comes from. */
export function copied(bytes: Uint8Array): Uint8Array {
  const copy = allocate(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Compares in time that depends on the lengths only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Orders byte strings as unsigned bytes, a prefix before the longer one; negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

export function toHex(bytes: Uint8Array): string {
  return hexSlice.call(bytes, 0, bytes.length);
}

/** @throws {RangeError} When `text` isn't an even number of hexadecimal digits. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) throw new RangeError('not hexadecimal');
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/** RFC 4648 base32 in lower case, without padding. */
export function base32(bytes: Uint8Array): string {
  // One text: put together letter by letter it would stay a tree of them, and be kept as one.
  const letters = allocate(Math.ceil((bytes.length * 8) / 5));
  let at = 0;
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) letters[at++] = BASE32.charCodeAt((held >>> (bits - 5)) & 31);
  }
  if (bits > 0) letters[at] = BASE32.charCodeAt((held << (5 - bits)) & 31);
  return latin1Slice.call(letters, 0, letters.length);
}

/** A text that is equal exactly when the bytes are: a key for maps, shorter to make than hexadecimal. */
export function mapKey(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length);
}

/** The bytes of which `mapKey` made this text. */
export function bytesOf(key: string): Uint8Array {
  return new Uint8Array(Buffer.from(key, 'latin1'));
}

/** A part that is ASCII, as text. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return latin1Slice.call(bytes, start, end);
}

/** A part that is UTF-8, as text. */
export function utf8Of(bytes: Uint8Array, start: number, end: number): string {
  return utf8Slice.call(bytes, start, end);
}

export function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** Of the first 4 bytes, big-endian. */
export function readU32(bytes: Uint8Array): number {
  return (((bytes[0] ?? 0) << 24) | ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0)) >>> 0;
}

/** Big-endian, 4 bytes. */
export function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
