/**
 * The one encoding of the protocol: MessagePack, of which every value has exactly one form.
 *
 * The reader builds values only from that form (shortest head, unique text keys, valid UTF-8, no extension, no trailing
 * byte), so encoding what was read gives the same bytes again, without doing it. Hostile bytes reach it before any key
 * is checked: it allocates no more than they hold. It knows no protocol object.
 *
 * Spec: spec/envelope.md#encoding; vectors: spec/vectors/encoding.json.
 */
import { Reader } from './encoding-reader.js';
import { Writer } from './encoding-writer.js';

export { EncodingError } from './encoding-error.js';

export type Wire = null | boolean | number | string | Uint8Array | readonly Wire[] | WireMap;
export interface WireMap {
  readonly [key: string]: Wire;
}

const writer = new Writer();

/**
 * Gives the one encoding of `value`; the result is the caller's own.
 *
 * @throws {EncodingError} When a part has none: a number that is no float and beyond 2^53, NaN, an unpaired surrogate,
 * the key `__proto__`, more than 32 levels, anything that is no `Wire`.
 */
export function encode(value: Wire): Uint8Array {
  return writer.whole(value);
}

/**
 * Reads one encoded value; byte strings in it are views on `bytes`, so copy what is kept for long.
 *
 * @throws {EncodingError} When `bytes` aren't exactly the one encoding of a value.
 */
export function decode(bytes: Uint8Array): Wire {
  return new Reader(bytes).whole();
}
