/**
 * Where a message stands in a trace: 25 bytes at the end of the private part, sealed for its recipient alone.
 *
 * Nothing is decided by it. A private part that holds none, or one that is not good, is read as if the sender had said
 * nothing of a trace; the message counts all the same.
 *
 * Spec: spec/envelope.md#trace; vectors: spec/vectors/trace.json.
 */
import { MAX_BRIEF_VALUES } from '@natrium/model';
import { concat, fromHex, toHex } from './bytes.js';
import { decode, encode, type Wire } from './encoding.js';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const TRACE_BYTES = TRACE_ID_BYTES + SPAN_ID_BYTES + 1;
const SAMPLED = 1;

/** What W3C's Trace Context calls trace id, parent id and the flag `sampled`. */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero: the sender's step. */
  readonly spanId: string;
  /** Whoever began the trace wants it kept. */
  readonly isSampled: boolean;
}

/** @returns 25 bytes. @throws {RangeError} When an id has another length. */
function encodeTrace({ traceId, spanId, isSampled }: TraceContext): Uint8Array {
  const bytes = concat(idIn(traceId, TRACE_ID_BYTES), idIn(spanId, SPAN_ID_BYTES), Uint8Array.of(0));
  if (isSampled) bytes[TRACE_BYTES - 1] = SAMPLED;
  return bytes;
}

/** A private part: what the kind puts there, and behind it the trace. Without either there is none. */
export function privatePart(own: readonly Wire[] | undefined, trace: TraceContext | undefined): Uint8Array | undefined {
  if (trace === undefined) return own === undefined ? undefined : encode([...own]);
  return encode([...(own ?? []), encodeTrace(trace)]);
}

/** @returns undefined for a private part without a trace, and for anything that is none. */
export function traceIn(privateBytes: Uint8Array): TraceContext | undefined {
  const last = lastOf(privateBytes);
  if (!(last instanceof Uint8Array) || last.length !== TRACE_BYTES) return undefined;
  const traceId = last.subarray(0, TRACE_ID_BYTES);
  const spanId = last.subarray(TRACE_ID_BYTES, TRACE_BYTES - 1);
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId: toHex(traceId), spanId: toHex(spanId), isSampled: ((last[TRACE_BYTES - 1] ?? 0) & SAMPLED) !== 0 };
}

function lastOf(bytes: Uint8Array): Wire | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const wire = decode(bytes, MAX_BRIEF_VALUES);
    return Array.isArray(wire) ? (wire as readonly Wire[]).at(-1) : undefined;
  } catch {
    return undefined; // bytes that are no encoding say nothing of a trace
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function idIn(hex: string, bytes: number): Uint8Array {
  if (!/^[0-9a-f]*$/.test(hex) || hex.length !== 2 * bytes) throw new RangeError(`not an id of ${bytes} bytes`);
  return fromHex(hex);
}
