/** What was fired at a gateway and is not stored yet: so many, and so large, as a broker that is away for a while may leave. */
import type { records } from '@natrium/wire';
import { type EventProblem, NotStored } from '../buses/bus.js';

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

const MAX_EVENTS = 50_000;
const MAX_BYTES = 64 << 20;
const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 1 << 20;

export class Unstored {
  readonly #waiting: Own[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_EVENTS || this.#bytes >= MAX_BYTES;
  }

  get lag(): EventLag {
    return { unstored: this.#waiting.length, since: this.#waiting[0]?.stored.stamp };
  }

  put(own: Own): void {
    this.#waiting.push(own);
    this.#bytes += own.size;
  }

  /** The oldest, as many as go into one message. */
  next(): readonly Own[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ size }, index) => {
      bytes += size;
      return index > 0 && (index >= MAX_BATCH || bytes > MAX_BATCH_BYTES);
    });
    return this.#waiting.slice(0, end === -1 ? MAX_BATCH : end);
  }

  /** Takes away the oldest, which wait no longer. */
  take(count = this.#waiting.length): readonly Own[] {
    const taken = this.#waiting.splice(0, count);
    for (const { size } of taken) this.#bytes -= size;
    return taken;
  }
}

export function ended(): NotStored {
  return new NotStored('this gateway ends, and it is not known that the event was stored; fire it again at another');
}
