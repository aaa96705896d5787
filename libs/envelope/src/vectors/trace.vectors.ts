/** Vectors of the trace in a private part. */
import { concat, toHex } from '../bytes.js';
import { encode, type Wire } from '../encoding.js';
import { seedOf } from '../parties.spec-support.js';
import { privatePart, type TraceContext } from '../trace.js';
import type { Vectors } from './vector-file.js';

export interface TraceCase {
  readonly name: string;
  readonly private: string;
  /** null: the message is read as if it had none. */
  readonly trace: TraceContext | null;
  /** What the kind puts before the trace, where these are the bytes that a sender makes. */
  readonly own?: 'nothing' | 'place';
}

/** A place in a grant's tree: what a job has. */
export const placeOfJob = (): Wire[] => [3, [seedOf('node').slice(0, 32)]];

export function traceVectors(): Vectors<TraceCase> {
  const about =
    'The trace that a message with this `private` part stands in. `own` is what its kind puts there: nothing, or for a job its place.';
  const trace = {
    traceId: toHex(seedOf('trace').slice(0, 16)),
    spanId: toHex(seedOf('span').slice(0, 8)),
    isSampled: true,
  };
  const bytes = (own: Wire[] | undefined, of: TraceContext | undefined) =>
    toHex(privatePart(own, of) ?? new Uint8Array(0));
  const context = concat(seedOf('trace').slice(0, 16), seedOf('span').slice(0, 8), Uint8Array.of(1));
  const changed = (at: number, size: number, to: number) =>
    context.map((byte, i) => (i >= at && i < at + size ? to : byte));
  const none = (name: string, wire: Wire): TraceCase => ({ name, private: toHex(encode(wire)), trace: null });
  const unsampled = { ...trace, isSampled: false };
  const cases: TraceCase[] = [
    { name: 'a question', private: bytes(undefined, trace), trace, own: 'nothing' },
    { name: 'a question that is not kept', private: bytes(undefined, unsampled), trace: unsampled, own: 'nothing' },
    { name: 'a job', private: bytes(placeOfJob(), trace), trace, own: 'place' },
    { name: 'a job without one', private: bytes(placeOfJob(), undefined), trace: null, own: 'place' },
    { name: 'nothing at all', private: '', trace: null, own: 'nothing' },
    { name: 'flags that mean nothing here', private: toHex(encode([changed(24, 1, 0xfe)])), trace: unsampled },
    none('a trace id of zeros', [changed(0, 16, 0)]),
    none('a span id of zeros', [changed(16, 8, 0)]),
    none('a byte too few', [context.slice(1)]),
    none('a byte too many', [concat(context, Uint8Array.of(0))]),
    none('not in a list', context),
    none('not the last', [context, 0]),
    none('a text', [toHex(context)]),
    { name: 'no encoding', private: 'c1', trace: null },
    { name: 'a byte behind it', private: `${toHex(encode([context]))}00`, trace: null },
  ];
  return { about, cases };
}
