/** What was fired at a gateway and is not stored yet. */
import type { records } from '@natrium/wire';
import { type EventProblem, NotStored } from './bus.js';

export interface Own {
  readonly stored: records.StoredEvent;
  /** Bytes, about. */
  readonly size: number;
  /** Somebody waits until it is stored, or cannot be. */
  readonly done: Done | undefined;
}

/** What waits at a gateway to be stored. */
export interface EventLag {
  readonly unstored: number;
  /** When the oldest of them was fired. */
  readonly since: string | undefined;
}

export type Done = (problem?: EventProblem) => void;

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
