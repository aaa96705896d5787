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
