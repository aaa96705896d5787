/**
 * The data of an event, measured: what has no encoding, or is larger than an event may be, is not fired.
 *
 * Spec: docs/event-bus.md#what-an-event-may-hold, docs/event-bus.md#what-the-master-fires.
 */
import type { Value, ValueMap } from '@natrium/model';
import { dataProblem, measured } from '../event/data-problem.js';
import { roughSize } from '../event/rough-size.js';
import { EventProblem } from './bus.js';

export interface Sized {
  readonly data: ValueMap;
  /** About. */
  readonly bytes: number;
}

/** As Salt, whose master cuts its own events so. */
const TRIMMED = 'VALUE_TRIMMED';
const TRIMMED_BYTES = roughSize(TRIMMED);

/** @throws {EventProblem} */
export function sized(data: ValueMap, maxBytes: number): Sized {
  const bytes = measured(data);
  if (typeof bytes === 'string') throw new EventProblem(bytes);
  if (bytes > maxBytes) throw new EventProblem(`an event has at most ${String(maxBytes)} bytes (max_event_size)`);
  return { data, bytes };
}

/**
 * The same for what a service tells of others' doings, which is told in any case: a value that has no encoding, and the largest
 * ones while the whole is too large, are `VALUE_TRIMMED`.
 *
 * @throws {EventProblem} When not even that makes an event of it.
 */
export function trimmed(data: ValueMap, maxBytes: number): Sized {
  const bytes = measured(data);
  if (typeof bytes === 'string') return sized(withoutLargest(encodable(data), maxBytes), maxBytes);
  return bytes <= maxBytes ? { data, bytes } : sized(withoutLargest(data, maxBytes), maxBytes);
}

/** The same of what may have no encoding, which is then the caller's to say: only its size is cut. @param first The value that goes before all others, where that is enough. */
export function cutToSize(data: ValueMap, maxBytes: number, first: string): ValueMap {
  const bytes = measured(data);
  if (typeof bytes === 'string' || bytes <= maxBytes) return data;
  const without = { ...data, [first]: TRIMMED };
  return roughSize(without) <= maxBytes ? without : withoutLargest(data, maxBytes);
}

function encodable(data: ValueMap): ValueMap {
  const has = (key: string, value: Value) => dataProblem({ [key]: value }) === undefined;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, has(key, value) ? value : TRIMMED]));
}

function withoutLargest(data: ValueMap, maxBytes: number): ValueMap {
  const left: Record<string, Value> = { ...data };
  const values = Object.entries(data).map(([key, value]) => ({ key, bytes: roughSize(value) }));
  let bytes = roughSize(data);
  for (const largest of values.sort((a, b) => b.bytes - a.bytes)) {
    if (bytes <= maxBytes) break;
    left[largest.key] = TRIMMED;
    bytes += TRIMMED_BYTES - largest.bytes;
  }
  return left;
}
