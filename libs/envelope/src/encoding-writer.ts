/**
 * Writes the one encoding of a value into a buffer that is kept and reused, so that small messages cost one copy.
 *
 * Spec: spec/envelope.md#encoding.
 */
import { allocate } from './bytes.js';
import { EncodingError, MAX_DEPTH, TOO_DEEP, tooMany } from './encoding-error.js';
import type { Wire, WireMap } from './encoding-values.js';

const START = 4096;
/** A buffer that grew beyond this for one large value isn't kept. */
const KEEP = 1 << 20;
/** Longer ones are written faster by the platform, which is asked three things about each. */
const SHORT_TEXT = 64;

/** First head bytes of a kind: the shortest form's base and room, and the forms with 8, 16 and 32 bits of length (0: none). */
interface Heads {
  readonly fix: number;
  readonly room: number;
  readonly h8: number;
  readonly h16: number;
  readonly h32: number;
}
const TEXT: Heads = { fix: 0xa0, room: 32, h8: 0xd9, h16: 0xda, h32: 0xdb };
const BYTES: Heads = { fix: 0, room: 0, h8: 0xc4, h16: 0xc5, h32: 0xc6 };
const LIST: Heads = { fix: 0x90, room: 16, h8: 0, h16: 0xdc, h32: 0xdd };
const MAP: Heads = { fix: 0x80, room: 16, h8: 0, h16: 0xde, h32: 0xdf };

export class Writer {
  #buffer = Buffer.allocUnsafeSlow(START);
  #at = 0;
  #most = 0;
  /** How many more values there may be. */
  #left = 0;

  /** @param most Items of lists and maps, all together. */
  whole(value: Wire, most: number): Uint8Array {
    this.#at = 0;
    this.#most = most;
    this.#left = most;
    this.#value(value, 0);
    const written = allocate(this.#at);
    written.set(this.#buffer.subarray(0, this.#at));
    if (this.#buffer.length > KEEP) this.#buffer = Buffer.allocUnsafeSlow(START);
    return written;
  }

  #value(value: Wire, depth: number): void {
    if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'boolean') this.#byte(value ? 0xc3 : 0xc2);
    else if (value === null) this.#byte(0xc0);
    else if (value instanceof Uint8Array) this.#bytes(value);
    else if (isList(value)) this.#list(value, depth + 1);
    else if (isMap(value)) this.#map(value, depth + 1);
    else throw new EncodingError('a value of this type has no encoding');
  }

  #number(value: number): void {
    if (!Number.isInteger(value)) return this.#float(value);
    if (!Number.isSafeInteger(value)) throw new EncodingError('an integer lies beyond 2^53');
    if (value >= 0) this.#positive(value);
    else this.#negative(value);
  }

  #positive(value: number): void {
    if (value < 0x80) this.#byte(value);
    else if (value < 0x100) this.#head(0xcc, value, 1);
    else if (value < 0x10000) this.#head(0xcd, value, 2);
    else if (value < 0x100000000) this.#head(0xce, value, 4);
    else this.#wide(0xcf, value);
  }

  #negative(value: number): void {
    if (value >= -0x20) this.#byte(value & 0xff);
    else if (value >= -0x80) this.#head(0xd0, value & 0xff, 1);
    else if (value >= -0x8000) this.#head(0xd1, value & 0xffff, 2);
    else if (value >= -0x80000000) this.#head(0xd2, value >>> 0, 4);
    else this.#wide(0xd3, value);
  }

  #wide(head: number, value: number): void {
    this.#head(head, Math.floor(value / 0x100000000) >>> 0, 4);
    this.#room(4);
    this.#at = this.#buffer.writeUInt32BE(value >>> 0, this.#at);
  }

  #float(value: number): void {
    if (!Number.isFinite(value)) throw new EncodingError('a number is not finite');
    this.#byte(0xcb);
    this.#room(8);
    this.#at = this.#buffer.writeDoubleBE(value, this.#at);
  }

  #text(value: string): void {
    if (value.length <= SHORT_TEXT && this.#plainText(value)) return;
    if (!value.isWellFormed()) throw new EncodingError('a text has an unpaired surrogate');
    const size = Buffer.byteLength(value, 'utf8');
    this.#length(TEXT, size);
    this.#room(size);
    this.#at += this.#buffer.write(value, this.#at, 'utf8');
  }

  /** Short ASCII, most of what is written, faster by hand. Tells false, with nothing written, for other text. */
  #plainText(value: string): boolean {
    const { length } = value;
    this.#room(SHORT_TEXT + 2);
    const buffer = this.#buffer;
    const start = this.#at + (length < TEXT.room ? 1 : 2);
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      buffer[start + i] = code;
    }
    if (length < TEXT.room) buffer[this.#at] = TEXT.fix + length;
    else {
      buffer[this.#at] = TEXT.h8;
      buffer[this.#at + 1] = length;
    }
    this.#at = start + length;
    return true;
  }

  #bytes(value: Uint8Array): void {
    this.#length(BYTES, value.length);
    this.#room(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  #list(value: readonly Wire[], depth: number): void {
    if (depth > MAX_DEPTH) throw new EncodingError(TOO_DEEP);
    this.#count(value.length);
    this.#length(LIST, value.length);
    for (const item of value) this.#value(item, depth);
  }

  #map(value: WireMap, depth: number): void {
    if (depth > MAX_DEPTH) throw new EncodingError(TOO_DEEP);
    const keys = Object.keys(value);
    this.#count(keys.length);
    this.#length(MAP, keys.length);
    for (const key of keys) {
      if (key === '__proto__') throw new EncodingError('a map has the key __proto__');
      const item = value[key];
      if (item === undefined) throw new EncodingError('a value of this type has no encoding');
      this.#text(key);
      this.#value(item, depth);
    }
  }

  #count(items: number): void {
    this.#left -= items;
    if (this.#left < 0) throw tooMany(this.#most);
  }

  #length(heads: Heads, length: number): void {
    if (length < heads.room) this.#byte(heads.fix + length);
    else if (length < 0x100 && heads.h8 !== 0) this.#head(heads.h8, length, 1);
    else if (length < 0x10000) this.#head(heads.h16, length, 2);
    else this.#head(heads.h32, length, 4);
  }

  #head(head: number, value: number, size: 1 | 2 | 4): void {
    this.#room(1 + size);
    this.#buffer[this.#at] = head;
    let shift = size * 8;
    for (let i = 1; i <= size; i += 1) {
      shift -= 8;
      this.#buffer[this.#at + i] = (value >>> shift) & 0xff;
    }
    this.#at += 1 + size;
  }

  #byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at] = value;
    this.#at += 1;
  }

  #room(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + size));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
  }
}

export function isList(value: readonly Wire[] | WireMap): value is readonly Wire[] {
  return Array.isArray(value);
}

/** Only a plain object is a map: a Date or a Map would silently become an empty one. */
export function isMap(value: WireMap | undefined): value is WireMap {
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return true;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
