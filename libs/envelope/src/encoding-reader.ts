/**
 * Reads a value from its one encoding and refuses every other form of it.
 *
 * Lengths are compared with what is left before anything is allocated; depth is bounded, so no input exhausts the stack.
 *
 * Spec: spec/envelope.md#encoding.
 */
import { isUtf8 } from 'node:buffer';

import { copied, textOf, utf8Of } from './bytes.js';
import { EncodingError, MAX_DEPTH, TOO_DEEP, tooMany } from './encoding-error.js';
import type { Wire, WireMap } from './encoding-values.js';

/** Bytes; the platform reads longer texts faster, which takes two calls for each. */
const SHORT_TEXT = 64;
/** Letters of a text that is put together here, faster than by a call of the platform; V8 would keep a longer one as a tree of its parts. */
const FEW_LETTERS = 8;
/** Items for which room is made at first, whatever length the bytes claim. */
const SHORT_LIST = 64;
const LONG_FORM = 'a length or integer is not in its shortest form';
const CUT_SHORT = 'the value is cut short';
const NOTHING: Uint8Array = new Uint8Array();

/** One reads many values, one after another. */
export class Reader {
  #bytes = NOTHING;
  #at = 0;
  #copies = false;
  #most = 0;
  /** How many more values there may be. */
  #room = 0;

  /** @param copies Whether byte strings are given as copies; else they are views on `bytes`. @param most Items of lists and maps, all together. */
  whole(bytes: Uint8Array, copies: boolean, most: number): Wire {
    this.#bytes = bytes;
    this.#at = 0;
    this.#copies = copies;
    this.#most = most;
    this.#room = most;
    try {
      const value = this.#value(0);
      if (this.#at !== bytes.length) throw new EncodingError('bytes follow the value');
      return value;
    } finally {
      this.#bytes = NOTHING;
    }
  }

  #value(depth: number): Wire {
    const head = this.#byte();
    if (head < 0x80) return head;
    if (head < 0x90) return this.#map(head & 0x0f, depth + 1);
    if (head < 0xa0) return this.#list(head & 0x0f, depth + 1);
    if (head < 0xc0) return this.#text(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    return this.#headed(head, depth);
  }

  #headed(head: number, depth: number): Wire {
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.#slice(this.#byte());
      case 0xc5:
        return this.#slice(this.#atLeast(0x100, 2));
      case 0xc6:
        return this.#slice(this.#atLeast(0x10000, 4));
      case 0xcb:
        return this.#float();
      case 0xcc:
        return this.#atLeast(0x80, 1);
      case 0xcd:
        return this.#atLeast(0x100, 2);
      case 0xce:
        return this.#atLeast(0x10000, 4);
      case 0xcf:
        return this.#wide(this.#unsigned(4), this.#unsigned(4));
      case 0xd0:
        return this.#below(-0x20, (this.#byte() << 24) >> 24);
      case 0xd1:
        return this.#below(-0x80, (this.#unsigned(2) << 16) >> 16);
      case 0xd2:
        return this.#below(-0x8000, this.#unsigned(4) | 0);
      case 0xd3:
        return this.#below(-0x80000000, this.#wide(this.#unsigned(4) | 0, this.#unsigned(4)));
      case 0xd9:
        return this.#text(this.#atLeast(0x20, 1));
      case 0xda:
        return this.#text(this.#atLeast(0x100, 2));
      case 0xdb:
        return this.#text(this.#atLeast(0x10000, 4));
      case 0xdc:
        return this.#list(this.#atLeast(0x10, 2), depth + 1);
      case 0xdd:
        return this.#list(this.#atLeast(0x10000, 4), depth + 1);
      case 0xde:
        return this.#map(this.#atLeast(0x10, 2), depth + 1);
      case 0xdf:
        return this.#map(this.#atLeast(0x10000, 4), depth + 1);
      default:
        throw new EncodingError('an extension, a float of 32 bits or an unused head');
    }
  }

  #list(count: number, depth: number): Wire[] {
    if (depth > MAX_DEPTH) throw new EncodingError(TOO_DEEP);
    this.#left(count);
    this.#count(count);
    // A short one is as long as it will be: one that grows has room for sixteen.
    const list = new Array<Wire>(Math.min(count, SHORT_LIST));
    for (let i = 0; i < count; i += 1) list[i] = this.#value(depth);
    return list;
  }

  #map(count: number, depth: number): WireMap {
    if (depth > MAX_DEPTH) throw new EncodingError(TOO_DEEP);
    this.#left(2 * count);
    this.#count(count);
    const map: Record<string, Wire> = {};
    let lastIndex = -1;
    let named = false;
    for (let i = 0; i < count; i += 1) {
      const key = this.#key();
      if (Object.hasOwn(map, key)) throw new EncodingError('a map has a key twice');
      const index = indexOf(key);
      if (index < 0) named = true;
      else if (named || index < lastIndex) throw new EncodingError('index keys of a map come first and rise');
      else lastIndex = index;
      map[key] = this.#value(depth);
    }
    return map;
  }

  #key(): string {
    const head = this.#byte();
    const key = (head & 0xe0) === 0xa0 ? this.#text(head & 0x1f) : this.#longKey(head);
    if (key === '__proto__') throw new EncodingError('a map has the key __proto__');
    return key;
  }

  #longKey(head: number): string {
    if (head === 0xd9) return this.#text(this.#atLeast(0x20, 1));
    if (head === 0xda) return this.#text(this.#atLeast(0x100, 2));
    if (head === 0xdb) return this.#text(this.#atLeast(0x10000, 4));
    throw new EncodingError('a key of a map is not a text');
  }

  #text(size: number): string {
    this.#left(size);
    const start = this.#at;
    this.#at += size;
    const text = size <= SHORT_TEXT ? this.#plainText(start, this.#at) : undefined;
    return text ?? this.#wideText(start, this.#at);
  }

  /** Short ASCII, most of what is read. */
  #plainText(start: number, end: number): string | undefined {
    const bytes = this.#bytes;
    for (let i = start; i < end; i += 1) if ((bytes[i] ?? 0x80) >= 0x80) return undefined;
    if (end - start >= FEW_LETTERS) return textOf(bytes, start, end);
    let text = '';
    for (let i = start; i < end; i += 1) text += String.fromCharCode(bytes[i] ?? 0);
    return text;
  }

  #wideText(start: number, end: number): string {
    if (!isUtf8(this.#bytes.subarray(start, end))) throw new EncodingError('a text is not valid UTF-8');
    return utf8Of(this.#bytes, start, end);
  }

  #slice(size: number): Uint8Array {
    this.#left(size);
    const start = this.#at;
    this.#at += size;
    const slice = new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, size);
    return this.#copies ? copied(slice) : slice;
  }

  #float(): number {
    this.#left(8);
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at).getFloat64(0);
    this.#at += 8;
    if (!Number.isFinite(value)) throw new EncodingError('a number is not finite');
    if (Number.isInteger(value)) throw new EncodingError('an integer is written as a float');
    return value;
  }

  #wide(high: number, low: number): number {
    const value = high * 0x100000000 + low;
    if (!Number.isSafeInteger(value)) throw new EncodingError('an integer lies beyond 2^53');
    if (high === 0) throw new EncodingError(LONG_FORM);
    return value;
  }

  #below(limit: number, value: number): number {
    if (value >= limit) throw new EncodingError(LONG_FORM);
    return value;
  }

  #atLeast(limit: number, size: number): number {
    const value = this.#unsigned(size);
    if (value < limit) throw new EncodingError(LONG_FORM);
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new EncodingError(CUT_SHORT);
    this.#at += 1;
    return byte;
  }

  #unsigned(size: number): number {
    this.#left(size);
    let value = 0;
    for (let i = 0; i < size; i += 1) value = value * 0x100 + (this.#bytes[this.#at + i] ?? 0);
    this.#at += size;
    return value;
  }

  /** Before any of them is made. */
  #count(items: number): void {
    this.#room -= items;
    if (this.#room < 0) throw tooMany(this.#most);
  }

  #left(size: number): void {
    if (size > this.#bytes.length - this.#at) throw new EncodingError(CUT_SHORT);
  }
}

/** A key that JavaScript sorts before the others (0 to 2^32 - 2 in plain decimal), as a number; -1 for any other. */
function indexOf(key: string): number {
  const first = key.charCodeAt(0);
  if (key.length > 10 || first < 0x30 || first > 0x39) return -1;
  const index = Number(key);
  return Number.isInteger(index) && index < 0xffffffff && String(index) === key ? index : -1;
}
