/** An event as every bus of this project knows it. Spec: docs/event-bus.md. */
import type { Value, ValueMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import { jsonText } from './json-text.js';
import { roughSize } from './rough-size.js';

/** Who fired it: a name that the envelope proved, a service of the cluster, or whoever may open a socket of this host. */
export type Origin = records.EventOrigin;

/** What a listener hears. */
export interface Heard {
  /** Resuming from it begins with what comes after this event. */
  readonly cursor: string;
  readonly tag: string;
  readonly data: ValueMap;
  /** When it was fired: UTC, ISO 8601 with microseconds, without a zone, as Salt's `_stamp`. */
  readonly stamp: string;
  readonly origin: Origin;
  /** Its sender and its number there: the same at every gateway and for ever. */
  readonly id: string;
  /** Of its data, about; where it was measured. */
  bytes?: number | undefined;
}

/** Bytes of an event's data, about; measured once for all who listen. */
export function sizeOf(event: Heard): number {
  return (event.bytes ??= roughSize(event.data));
}

/** A marker with this tag, or one that begins with it and a slash, says that events are missing here; no filter holds it back. */
export const GAP_TAG = 'natrium/gap';

export function isGap(tag: string): boolean {
  return tag === GAP_TAG || tag.startsWith(`${GAP_TAG}/`);
}

/** Salt's `_stamp` of a time in milliseconds. */
export function stampOf(ms: number): string {
  if (ms !== last.ms) last = { ms, stamp: `${new Date(ms).toISOString().slice(0, -1)}000` };
  return last.stamp;
}

/** Many events are of one moment. */
let last = { ms: 0, stamp: '1970-01-01T00:00:00.000000' };

/** A text whose time of day, if there is one, names no zone behind it. */
const WITHOUT_ZONE = /^[^:]*(?::[^a-z+-]*)?$/i;

/** Milliseconds of a time in ISO 8601; NaN: it is none. Without a zone it is UTC, as a stamp is: by itself `Date` takes it for the host's. */
export function timeOf(text: string): number {
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
}

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/;

/** Takes Salt's `_stamp` out of the data: it is a field of its own here. */
export function withoutStamp(data: ValueMap): ValueMap {
  if (!('_stamp' in data)) return data;
  const { _stamp: taken, ...rest } = data;
  return typeof taken === 'string' && STAMP.test(taken) ? rest : data;
}

/** The event as a line of the JSON socket; made once for all who listen. */
const lines = new WeakMap<Heard, string>();

export function lineOf(event: Heard): string {
  const known = lines.get(event);
  if (known !== undefined) return known;
  const { tag, data, stamp, cursor, origin, id } = event;
  const parts: Value = { tag, data, stamp, cursor, origin, id };
  const line = `${jsonText(parts)}\n`;
  lines.set(event, line);
  return line;
}
