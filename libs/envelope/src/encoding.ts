/**
 * The one encoding of the protocol: MessagePack, of which every value has exactly one form.
 *
 * The reader builds values only from that form (shortest head, unique text keys, valid UTF-8, no extension, no trailing
 * byte), so encoding what was read gives the same bytes again, without doing it. Hostile bytes reach it before any key
 * is checked: it allocates no more than they hold. It knows no protocol object.
 *
 * Spec: spec/envelope.md#encoding; vectors: spec/vectors/encoding.json.
 */
import { concat, u32 } from './bytes.js';
import { Reader } from './encoding-reader.js';
import type { Wire, WireMap } from './encoding-values.js';
import { Writer } from './encoding-writer.js';

export { EncodingError } from './encoding-error.js';

export type { Wire, WireMap };

const reader = new Reader();
const writer = new Writer();

/**
 * Gives the one encoding of `value`; the result is the caller's own.
 *
 * @param most Items of lists and maps, all together, where the reader takes no more.
 * @throws {EncodingError} When a part has none: a number that is no float and beyond 2^53, NaN, an unpaired surrogate,
 * the key `__proto__`, more than 32 levels, anything that is no `Wire`; and when there are more than `most`.
 */
export function encode(value: Wire, most = Infinity): Uint8Array {
  return writer.whole(value, most);
}

/**
 * The encoding of a list, of items that are encoded already, each as the only one of a list: so it was checked as deep as it lies.
 *
 * @throws {RangeError} For one that is no encoding of a list of one.
 */
export function joinLists(lists: readonly Uint8Array[]): Uint8Array {
  if (lists.some(([head]) => head !== LIST_OF_ONE)) throw new RangeError('not a list of one');
  return concat(listHead(lists.length), ...lists.map((list) => list.subarray(1)));
}

const LIST_OF_ONE = 0x91;

function listHead(length: number): Uint8Array {
  if (length < 16) return Uint8Array.of(0x90 + length);
  if (length < 0x10000) return Uint8Array.of(0xdc, length >>> 8, length & 0xff);
  return concat(Uint8Array.of(0xdd), u32(length));
}

/**
 * Reads one encoded value; byte strings in it are views on `bytes`, so copy what is kept for long.
 *
 * @param most Items of lists and maps, all together: what bounds the work where another party made the bytes. An empty map is one byte
 * of them, and in memory sixty.
 * @throws {EncodingError} When `bytes` aren't exactly the one encoding of a value, or of one that holds more than `most`.
 */
export function decode(bytes: Uint8Array, most = Infinity): Wire {
  return reader.whole(bytes, false, most);
}

/** The same, but byte strings are copies: for what is read from a place that is used again. @throws {EncodingError} As `decode`. */
export function decodeCopied(bytes: Uint8Array, most = Infinity): Wire {
  return reader.whole(bytes, true, most);
}
