/**
 * Salt's socket protocol: concatenated MessagePack maps `{head, body}`, where the body is the tag, two line feeds and the
 * MessagePack of the data.
 *
 * Spec: docs/event-bus.md#salts-own-sockets.
 */
import { isMap, type Value, type ValueMap } from '@natrium/model';
import { type Heard, withoutStamp } from '../event/event.js';
import { MsgpackError, type Parsed, readMsgpack, writeMsgpack } from './msgpack.js';

const BREAK = '\n\n';
/** Of a frame around its data, tag included: whether the data is too large is for the bus to say. */
const AROUND = 1024;

export interface Framed {
  readonly tag: string;
  readonly data: ValueMap;
}

/** The frame of an event, as Salt's publisher writes it. */
export function frameOf(tag: string, data: ValueMap): Buffer {
  const body = Buffer.concat([Buffer.from(tag + BREAK), writeMsgpack(data)]);
  return Buffer.concat([HEAD, lengthOf(body.length), body]);
}

const frames = new WeakMap<Heard, Buffer>();
/** By an event's data: the frame as its script wrote it, where a value of ours says less (bytes, times, keys that are no texts). */
const verbatim = new WeakMap<ValueMap, Buffer>();

/** With Salt's `_stamp` in the data; made once for all who listen. */
export function frameFor(event: Heard): Buffer {
  const known = frames.get(event) ?? verbatim.get(event.data);
  if (known !== undefined) return known;
  const frame = frameOf(event.tag, { ...event.data, _stamp: event.stamp });
  frames.set(event, frame);
  return frame;
}

/** A map of two: `head`, an empty map, and `body`, bytes. */
const HEAD = Buffer.concat([
  Buffer.from([0x82, 0xa4]),
  Buffer.from('head'),
  Buffer.from([0x80, 0xa4]),
  Buffer.from('body'),
]);

function lengthOf(size: number): Buffer {
  const head = Buffer.alloc(5);
  head[0] = 0xc6;
  head.writeUInt32BE(size, 1);
  return head;
}

/** Takes frames out of a stream of bytes, whichever way it was cut. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Fewer bytes than this hold no whole frame. */
  #needed = 0;
  /** Bytes still to come of a frame that is too large. */
  #skipped = 0;

  constructor(
    /** Larger frames are not kept, also not in part. */
    private readonly maxBytes: number,
    /** A frame whose body is no event, or too large: those before and after it are read. */
    private readonly onRefused: (cause: MsgpackError) => void,
  ) {}

  /** @throws {MsgpackError} When what comes is no frame: the connection is of no more use, and the events before it are told. */
  *take(chunk: Buffer): Generator<Framed> {
    const bytes = this.#gathered(chunk);
    if (bytes === undefined) return;
    let at = 0;
    this.#needed = 0;
    while (at < bytes.length) {
      const read = readMsgpack(bytes, at, { bytes: true });
      if (typeof read === 'number') {
        this.#needed = read - at;
        break;
      }
      const framed = this.#framed(bodyOf(read.value), read.end - at);
      at = read.end;
      if (framed !== undefined) yield framed;
    }
    this.#keep(bytes.subarray(at));
  }

  #gathered(chunk: Buffer): Buffer | undefined {
    const skipped = Math.min(this.#skipped, chunk.length);
    this.#skipped -= skipped;
    if (skipped === chunk.length) return undefined;
    this.#chunks.push(chunk.subarray(skipped));
    this.#size += chunk.length - skipped;
    if (this.#size < this.#needed) return undefined;
    return this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
  }

  #keep(rest: Buffer): void {
    // Salt writes the body last: what is needed is the whole frame.
    const isTooLarge = Math.max(this.#needed, rest.length) > this.maxBytes + AROUND;
    this.#chunks = rest.length === 0 || isTooLarge ? [] : [rest];
    this.#size = isTooLarge ? 0 : rest.length;
    if (!isTooLarge) return;
    this.#skipped = this.#needed - rest.length;
    this.#needed = 0;
    this.onRefused(tooLarge(this.maxBytes));
  }

  #framed(body: Uint8Array, size: number): Framed | undefined {
    try {
      if (size > this.maxBytes + AROUND) throw tooLarge(this.maxBytes);
      return eventIn(body);
    } catch (cause) {
      if (!(cause instanceof MsgpackError)) throw cause;
      this.onRefused(cause);
      return undefined;
    }
  }
}

function tooLarge(maxBytes: number): MsgpackError {
  return new MsgpackError(`it is larger than ${String(maxBytes)} bytes (max_event_size)`);
}

/** Text or zeros are a value of MessagePack at each byte: whoever writes them speaks another protocol. @throws {MsgpackError} */
function bodyOf(frame: Parsed): Uint8Array {
  const { body } = (typeof frame === 'object' && frame !== null ? frame : {}) as { readonly body?: unknown };
  if (body instanceof Uint8Array) return body;
  throw new MsgpackError('it is no map with a body, as each frame of Salt’s bus is');
}

function eventIn(body: Uint8Array): Framed {
  const bytes = Buffer.from(body);
  const at = bytes.indexOf(BREAK);
  if (at < 0) throw new MsgpackError('it has no tag and data');
  const read = readMsgpack(bytes, at + BREAK.length, { bytes: false });
  const data = typeof read === 'number' ? undefined : (read.value as Value);
  if (typeof read === 'number' || !isMap(data)) throw new MsgpackError('its data is no map');
  const plain = withoutStamp(data);
  const isStamped = plain !== data;
  if (!read.isExact && isStamped && read.end === bytes.length)
    verbatim.set(plain, Buffer.concat([HEAD, lengthOf(bytes.length), bytes]));
  return { tag: bytes.subarray(0, at).toString(), data: plain };
}
