/** Where a sink's events go. */
import type { Heard } from '@natrium/events';

export interface Destination {
  /** Most events that it takes in one go. */
  readonly atOnce: number;
  /**
   * Resolves when all of them are committed there; some may be there already, from a time before. It has time limits
   * of its own: who stops the service waits for it.
   *
   * @throws {EventRefused} When it will never take one of them.
   * @throws {TookTooLong} When there was no time for so many at once.
   * @throws {Error} When that is to be tried again; its message holds nothing of the events.
   */
  deliver(events: readonly Heard[]): Promise<void>;
  close(): Promise<void>;
}

/** An event that its destination never takes, however often it comes: the others must not wait behind it. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
  readonly code = 'ERR_EVENT_REFUSED';
}

/** Nothing of them is committed: the same events would take as long again, and fewer may not. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
  readonly code = 'ERR_TOOK_TOO_LONG';
}
