/**
 * The padded form of a body: its length, the plaintext and zeros up to Padmé, so that a size tells at most 12 % of itself.
 *
 * Spec: spec/envelope.md#body; vectors: spec/vectors/padding.json.
 */
import { allocate, compareBytes, readU32, u32 } from './bytes.js';

const LEAST = 512;
const LENGTH_BYTES = 4;

/** Padmé: the smallest size from `size` on whose low bits are zero, fewer bits staying the smaller it is. */
export function padme(size: number): number {
  if (size < 2) return size;
  const exponent = 31 - Math.clz32(size);
  const kept = 32 - Math.clz32(exponent);
  const mask = 2 ** (exponent - kept) - 1;
  return Math.ceil(size / (mask + 1)) * (mask + 1);
}

export function pad(plaintext: Uint8Array): Uint8Array {
  const padded = allocate(paddedSize(plaintext.length));
  padded.set(u32(plaintext.length));
  padded.set(plaintext, LENGTH_BYTES);
  return padded;
}

/** @returns undefined when the length doesn't fit, the size is another than `pad` gives, or a byte of the padding isn't zero. */
export function unpad(padded: Uint8Array): Uint8Array | undefined {
  if (padded.length < LEAST) return undefined;
  const length = readU32(padded);
  if (padded.length !== paddedSize(length)) return undefined;
  const end = LENGTH_BYTES + length;
  return isZero(padded.subarray(end)) ? padded.subarray(LENGTH_BYTES, end) : undefined;
}

/** As long as the padding of a small body; a larger one's is looked at in parts. */
const ZEROS = new Uint8Array(LEAST);

function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += LEAST) {
    const part = bytes.subarray(at, at + LEAST);
    if (compareBytes(part, ZEROS.subarray(0, part.length)) !== 0) return false;
  }
  return true;
}

function paddedSize(length: number): number {
  return padme(Math.max(LEAST, LENGTH_BYTES + length));
}
