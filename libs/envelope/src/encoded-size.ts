/**
 * How long the encoding of a value is, without making it: whether it fits into a message is asked of much that is never sent as it is.
 *
 * Knows the heads as the writer does; the spec compares both. Spec: spec/envelope.md#encoding.
 */
import { EncodingError, MAX_DEPTH, TOO_DEEP } from './encoding-error.js';
import type { Wire } from './encoding-values.js';
import { isList, isMap } from './encoding-writer.js';

/** Longer texts are counted faster by the platform. */
const SHORT_TEXT = 16;
/** What the shortest head of a kind, of one byte, has room for. */
const TEXT_ROOM = 32;
const ITEMS_ROOM = 16;

/** @throws {EncodingError} Where `encode` does. */
export function encodedSize(value: Wire): number {
  return sizeAt(value, 0);
}

function sizeAt(value: Wire, depth: number): number {
  if (typeof value === 'string') return textSize(value);
  if (typeof value === 'number') return numberSize(value);
  if (typeof value === 'boolean' || value === null) return 1;
  if (value instanceof Uint8Array) return lengthHead(value.length) + value.length;
  if (isList(value)) return listSize(value, depth + 1);
  if (isMap(value)) return mapSize(value, depth + 1);
  throw new EncodingError('a value of this type has no encoding');
}

function listSize(list: readonly Wire[], depth: number): number {
  if (depth > MAX_DEPTH) throw new EncodingError(TOO_DEEP);
  let size = itemsHead(list.length);
  for (const item of list) size += sizeAt(item, depth);
  return size;
}

function mapSize(map: Readonly<Record<string, Wire>>, depth: number): number {
  if (depth > MAX_DEPTH) throw new EncodingError(TOO_DEEP);
  const keys = Object.keys(map);
  let size = itemsHead(keys.length);
  for (const key of keys) {
    if (key === '__proto__') throw new EncodingError('a map has the key __proto__');
    const item = map[key];
    if (item === undefined) throw new EncodingError('a value of this type has no encoding');
    size += textSize(key) + sizeAt(item, depth);
  }
  return size;
}

function textSize(text: string): number {
  const bytes = bytesOf(text);
  return (bytes < TEXT_ROOM ? 1 : lengthHead(bytes)) + bytes;
}

function bytesOf(text: string): number {
  if (text.length <= SHORT_TEXT && isAscii(text)) return text.length;
  if (!text.isWellFormed()) throw new EncodingError('a text has an unpaired surrogate');
  return Buffer.byteLength(text, 'utf8');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}

function numberSize(value: number): number {
  if (!Number.isInteger(value)) {
    if (!Number.isFinite(value)) throw new EncodingError('a number is not finite');
    return 9;
  }
  if (!Number.isSafeInteger(value)) throw new EncodingError('an integer lies beyond 2^53');
  if (value < 0 ? value >= -0x20 : value < 0x80) return 1;
  if (value < 0 ? value >= -0x80 : value < 0x100) return 2;
  if (value < 0 ? value >= -0x8000 : value < 0x10000) return 3;
  return (value < 0 ? value >= -0x80000000 : value < 0x100000000) ? 5 : 9;
}

/** Of a text or of bytes. */
function lengthHead(length: number): number {
  if (length < 0x100) return 2;
  return length < 0x10000 ? 3 : 5;
}

/** Of a list or of a map. */
function itemsHead(length: number): number {
  if (length < ITEMS_ROOM) return 1;
  return length < 0x10000 ? 3 : 5;
}
