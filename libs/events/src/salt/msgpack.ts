/**
 * MessagePack as Salt's Python writes and reads it: not the one strict encoding of libs/envelope, but whatever a script on
 * this host may send. Texts that came as bytes become texts; floats stay floats; keys become texts.
 */
import { Float, float, isList, pyRepr, type Value } from '@natrium/model';

const MAX_DEPTH = 40;

/** What Python's unpacker cannot say either; the frame that holds it is refused. */
export class MsgpackError extends Error {
  override readonly name = 'MsgpackError';
  readonly code = 'ERR_MSGPACK';
}

/** A value from bytes that may be cut off: `undefined` until all of it is there. */
export type Parsed = Value | Uint8Array | { readonly [key: string]: Parsed } | readonly Parsed[];

/** The bytes end before the value does: more will come. */
class CutOff extends Error {
  constructor(readonly needed: number) {
    super();
  }
}

export interface ReadOptions {
  /** Byte strings and texts stay bytes: for the frame around a body, which Python 2 writes as a text. */
  readonly bytes: boolean;
}

export interface Read {
  readonly value: Parsed;
  /** Where the next one begins. */
  readonly end: number;
  /** It says all that the bytes do: none of it was a byte string, a time, or a key that is no text. */
  readonly isExact: boolean;
}

/** @returns A number when the bytes end before the value does: it needs as many at least. */
export function readMsgpack(bytes: Buffer, at: number, options: ReadOptions): Read | number {
  const reader = new MsgpackReader(bytes, at, options.bytes);
  try {
    const value = reader.value(0);
    return { value, end: reader.at, isExact: reader.isExact };
  } catch (error) {
    if (error instanceof CutOff) return error.needed;
    throw error;
  }
}

class MsgpackReader {
  isExact = true;

  constructor(
    private readonly bytes: Buffer,
    public at: number,
    private readonly keepBytes: boolean,
  ) {}

  value(depth: number): Parsed {
    if (depth > MAX_DEPTH) throw new MsgpackError('nested too deeply');
    const head = this.#take(1).readUInt8();
    if (head < 0x80) return head;
    if (head < 0x90) return this.#map(head & 0x0f, depth);
    if (head < 0xa0) return this.#list(head & 0x0f, depth);
    if (head < 0xc0) return this.#text(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    return this.#headed(head, depth);
  }

  #headed(head: number, depth: number): Parsed {
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#bytes(this.#length(head - 0xc4));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#length(head - 0xc7));
      case 0xca:
        return float(this.#take(4).readFloatBE());
      case 0xcb:
        return float(this.#take(8).readDoubleBE());
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#length(head - 0xcc);
      case 0xcf:
        return asInteger(this.#take(8).readBigUInt64BE());
      case 0xd0:
        return this.#take(1).readInt8();
      case 0xd1:
        return this.#take(2).readInt16BE();
      case 0xd2:
        return this.#take(4).readInt32BE();
      case 0xd3:
        return asInteger(this.#take(8).readBigInt64BE());
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(1 << (head - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#length(head - 0xd9));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#length(head - 0xdb), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#length(head - 0xdd), depth);
      default:
        throw new MsgpackError('a head that is none');
    }
  }

  /** 0: one byte, 1: two, 2: four. */
  #length(size: number): number {
    if (size === 0) return this.#take(1).readUInt8();
    return size === 1 ? this.#take(2).readUInt16BE() : this.#take(4).readUInt32BE();
  }

  #text(size: number): Parsed {
    const bytes = this.#take(size);
    return this.keepBytes ? bytes : bytes.toString();
  }

  #bytes(size: number): Parsed {
    this.isExact = false;
    return this.#text(size);
  }

  /** Salt packs a time as an extension that holds its text. */
  #extension(size: number): Parsed {
    this.isExact = false;
    this.#take(1);
    return this.#take(size).toString();
  }

  #list(count: number, depth: number): Parsed {
    const list: Parsed[] = [];
    for (let i = 0; i < count; i += 1) list.push(this.value(depth + 1));
    return list;
  }

  #map(count: number, depth: number): Parsed {
    const entries: [string, Parsed][] = [];
    for (let i = 0; i < count; i += 1) {
      const key = this.value(depth + 1);
      if (typeof key !== 'string') this.isExact = false;
      entries.push([typeof key === 'string' ? key : keyText(key), this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #take(size: number): Buffer {
    if (this.at + size > this.bytes.length) throw new CutOff(this.at + size);
    const part = this.bytes.subarray(this.at, this.at + size);
    this.at += size;
    return part;
  }
}

function keyText(key: Parsed): string {
  if (key instanceof Uint8Array) return Buffer.from(key).toString();
  if (key instanceof Float) return pyRepr(key);
  if (typeof key === 'object' && key !== null) throw new MsgpackError('a key that is a list or a map');
  return String(key);
}

function asInteger(value: bigint): Value {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}

/** The bytes that Python's `msgpack.packb(value, use_bin_type=True)` would give. */
export function writeMsgpack(value: Value): Buffer {
  const writer = new MsgpackWriter();
  writer.value(value);
  return writer.whole();
}

class MsgpackWriter {
  #buffer = Buffer.allocUnsafe(512);
  #at = 0;

  whole(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  /** What is undefined is written as Python's None. */
  value(value: Value | undefined): void {
    if (value === null || value === undefined) this.#byte(0xc0);
    else if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'boolean') this.#byte(value ? 0xc3 : 0xc2);
    else if (typeof value === 'bigint') this.#bigint(value);
    else if (value instanceof Float) this.#float(value.value);
    else if (isList(value)) {
      this.#head(value.length, 0x90, [0xdc, 0xdd]);
      for (const item of value) this.value(item);
    } else {
      const entries = Object.entries(value);
      this.#head(entries.length, 0x80, [0xde, 0xdf]);
      for (const [key, item] of entries) {
        this.#text(key);
        this.value(item);
      }
    }
  }

  #number(value: number): void {
    if (!Number.isSafeInteger(value)) this.#float(value);
    else if (value >= 0 && value < 0x80) this.#byte(value);
    else if (value < 0 && value >= -0x20) this.#byte(value & 0xff);
    else if (value >= 0 && value < 0x100) this.#int(0xcc, value, 1);
    else if (value >= 0 && value < 0x10000) this.#int(0xcd, value, 2);
    else if (value >= 0 && value < 0x100000000) this.#int(0xce, value, 4);
    else if (value < 0 && value >= -0x80) this.#int(0xd0, value, 1);
    else if (value < 0 && value >= -0x8000) this.#int(0xd1, value, 2);
    else if (value < 0 && value >= -0x80000000) this.#int(0xd2, value, 4);
    else this.#bigint(BigInt(value));
  }

  #bigint(value: bigint): void {
    if (value >= 1n << 64n || value < -(1n << 63n)) {
      this.#text(value.toString());
      return;
    }
    this.#byte(value < 0n ? 0xd3 : 0xcf);
    this.#room(8);
    this.#at =
      value < 0n ? this.#buffer.writeBigInt64BE(value, this.#at) : this.#buffer.writeBigUInt64BE(value, this.#at);
  }

  #float(value: number): void {
    this.#byte(0xcb);
    this.#room(8);
    this.#at = this.#buffer.writeDoubleBE(value, this.#at);
  }

  #text(value: string): void {
    const size = Buffer.byteLength(value);
    if (size < 32) this.#byte(0xa0 + size);
    else if (size < 0x100) this.#int(0xd9, size, 1);
    else if (size < 0x10000) this.#int(0xda, size, 2);
    else this.#int(0xdb, size, 4);
    this.#room(size);
    this.#at += this.#buffer.write(value, this.#at);
  }

  /** Of a list or a map: up to 15 items are counted in the head itself. */
  #head(count: number, fix: number, [h16, h32]: readonly [number, number]): void {
    if (count < 16) this.#byte(fix + count);
    else if (count < 0x10000) this.#int(h16, count, 2);
    else this.#int(h32, count, 4);
  }

  #int(head: number, value: number, size: 1 | 2 | 4): void {
    this.#byte(head);
    this.#room(size);
    this.#at =
      value < 0 ? this.#buffer.writeIntBE(value, this.#at, size) : this.#buffer.writeUIntBE(value, this.#at, size);
  }

  #byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at] = value;
    this.#at += 1;
  }

  #room(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + size));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
