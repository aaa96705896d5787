/**
 * Salt's socket protocol: concatenated MessagePack maps `{head, body}`, where the body is the tag, two line feeds and the
 * MessagePack of the data.
 *
 * Spec: docs/event-bus.md#salts-own-sockets.
 */
import { isMap, type Value, type ValueMap } from '@natrium/model';
import type { Heard } from './event.js';
import { MsgpackError, readMsgpack, writeMsgpack } from './msgpack.js';

const BREAK = '\n\n';

export interface Framed {
  readonly tag: string;
  readonly data: ValueMap;
  /** Bytes of the frame. */
  readonly size: number;
}

/** The frame of an event, as Salt's publisher writes it. */
export function frameOf(tag: string, data: ValueMap): Buffer {
  const body = Buffer.concat([Buffer.from(tag + BREAK), writeMsgpack(data)]);
  return Buffer.concat([HEAD, lengthOf(body.length), body]);
}

const frames = new WeakMap<Heard, Buffer>();

/** With Salt's `_stamp` in the data; made once for all who listen. */
export function frameFor(event: Heard): Buffer {
  const known = frames.get(event);
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

  constructor(private readonly maxBytes: number) {}

  /** @throws {MsgpackError} When what comes is no frame, or larger than `maxBytes`: the connection is of no more use. */
  take(chunk: Buffer): readonly Framed[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const framed: Framed[] = [];
    let at = 0;
    this.#needed = 0;
    while (at < bytes.length) {
      const read = readMsgpack(bytes, at, { bytes: true });
      if (typeof read === 'number') {
        this.#needed = read - at;
        break;
      }
      framed.push(eventIn(read[0], read[1] - at));
      at = read[1];
    }
    if (Math.max(this.#needed, bytes.length - at) > this.maxBytes) {
      throw new MsgpackError(`an event is larger than ${String(this.maxBytes)} bytes`);
    }
    const rest = bytes.subarray(at);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    return framed;
  }
}

function eventIn(frame: unknown, size: number): Framed {
  const { body } = (typeof frame === 'object' && frame !== null ? frame : {}) as { readonly body?: unknown };
  const bytes =
    typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? Buffer.from(body) : undefined;
  const at = bytes?.indexOf(BREAK) ?? -1;
  if (bytes === undefined || at < 0) throw new MsgpackError('a frame without a tag and data');
  const read = readMsgpack(bytes, at + BREAK.length, { bytes: false });
  const data = typeof read === 'number' ? undefined : (read[0] as Value);
  if (!isMap(data)) throw new MsgpackError('an event’s data is not a map');
  return { tag: bytes.subarray(0, at).toString(), data, size };
}
