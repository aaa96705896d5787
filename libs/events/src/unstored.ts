/** What was fired at a gateway and is not stored yet. */
import type { Easing } from '@natrium/bus';
import type { records } from '@natrium/wire';
import { type EventProblem, NotStored } from './bus.js';

export interface Own {
  readonly stored: records.StoredEvent;
  /** Bytes, about. */
  readonly size: number;
  /** Somebody waits until it is stored, or cannot be. */
  readonly done: Done | undefined;
}

export type Done = (problem?: EventProblem) => void;

/**
 * What nobody waits for is gathered for a window before it is written: each write costs the broker an fsync, and it was heard here at once.
 * Of a flood for half a second: the returns of a job to thousands are heard before the first of their events is written.
 */
export const GATHERED: Easing = { windowMs: 50, maxWindows: 10 };

const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 1 << 20;

export function nextBatch(unstored: readonly Own[]): readonly Own[] {
  let bytes = 0;
  const end = unstored.findIndex(({ size }, index) => {
    bytes += size;
    return index > 0 && (index >= MAX_BATCH || bytes > MAX_BATCH_BYTES);
  });
  return unstored.slice(0, end === -1 ? MAX_BATCH : end);
}

export function ended(): NotStored {
  return new NotStored('this gateway ends, and it is not known that the event was stored; fire it again at another');
}
