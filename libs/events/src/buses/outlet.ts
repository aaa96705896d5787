/**
 * What one listener has still to take: a bounded queue. A listener that is too slow loses events and is told how many, in
 * their place; the others notice nothing.
 */
import { sizeOf, GAP_TAG, type Heard } from '../event/event.js';
import type { Bookmark } from './bus.js';

/** Enough for bursts; what waits is shared with all other listeners, so it costs a pointer each. */
export const DEFAULT_LIMIT = 10_000;
/** Bytes of events that may wait, however few events that are. */
const MAX_BYTES = 16 << 20;
/** How often a listener hears how far the bus is. Events are kept for an hour at least, so this is soon enough to resume from. */
const BOOKMARK_MS = 10_000;

export class Outlet implements AsyncIterable<Heard> {
  #waiting: Heard[] = [];
  #bytes = 0;
  /** Events lost behind the last of those that wait. */
  #dropped = 0;
  #wake: (() => void) | undefined;
  #room: (() => void) | undefined;
  #closed = false;
  /** How far the bus has come, where nothing was pushed after that. */
  #passed: string | undefined;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  #bookmark: Bookmark | undefined;
  #end: Bookmark | undefined;

  constructor(
    private readonly limit: number,
    private readonly onClose: () => void,
    readonly bookmarks = false,
  ) {}

  get closed(): boolean {
    return this.#closed;
  }

  get bookmark(): Bookmark | undefined {
    return this.#bookmark;
  }

  /** All up to this cursor that is wanted was pushed: whoever takes and wants bookmarks hears so within ten seconds. */
  passed(cursor: string): void {
    if (this.#closed || !this.bookmarks) return;
    this.#passed = cursor;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isDue = this.#passed !== undefined;
      this.#wake?.();
    }, BOOKMARK_MS).unref();
  }

  /** Never waits: what finds no room is counted. */
  push(event: Heard): void {
    if (this.#closed) return;
    this.#passed = undefined; // its own cursor is beyond
    // Its own size does not count: whatever comes after a loss is lost as well until all is taken, since the gap has one place.
    if (this.#waiting.length >= this.limit || this.#bytes >= MAX_BYTES) this.#dropped += 1;
    else {
      this.#waiting.push(event);
      this.#bytes += sizeOf(event);
    }
    this.#wake?.();
  }

  /** Resolves when there is room for more; for a source that can wait. */
  async room(): Promise<void> {
    const most = Math.max(1, this.limit / 2);
    while ((this.#waiting.length >= most || this.#bytes >= MAX_BYTES / 2) && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
    }
  }

  /** All that waits, and what is missing behind it, as soon as there is anything; undefined once it is closed and empty. */
  async take(): Promise<readonly Heard[] | undefined> {
    while (this.#waiting.length === 0 && !this.#isDue) {
      this.#bookmark = this.#end;
      if (this.#closed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const taken = this.#waiting;
    [this.#waiting, this.#bytes] = [[], 0];
    this.#bookmark = this.#isDue && this.#passed !== undefined ? { cursor: this.#passed } : undefined;
    this.#isDue = false;
    const last = taken.at(-1);
    if (last !== undefined && this.#dropped > 0) taken.push(this.#gapAfter(last));
    this.#room?.();
    return taken;
  }

  /** It has all that it asked for, up to this cursor. */
  end(cursor: string): void {
    if (this.bookmarks && !this.#closed) this.#end = { cursor, ended: true };
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#wake?.();
    this.#room?.();
    this.onClose();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Heard, void, undefined> {
    try {
      for (;;) {
        const events = await this.take();
        if (events === undefined) return;
        yield* events;
      }
    } finally {
      this.close();
    }
  }

  /** Resuming from where it stands brings back what was dropped. */
  #gapAfter(last: Heard): Heard {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return gapEvent({ dropped, why: 'this listener is too slow' }, last);
  }
}

/** The marker in the place of what is missing. */
export function gapEvent(data: Heard['data'], { stamp, cursor }: Pick<Heard, 'stamp' | 'cursor'>): Heard {
  return { tag: GAP_TAG, data, stamp, cursor, origin: { kind: 'service', name: 'event bus' }, id: '' };
}
