/** The two things that anyone does with an event bus; sockets, the HTTP API and the command line know no more of it. */
import type { ValueMap } from '@natrium/model';
import type { Heard, Origin } from '../event/event.js';
import type { MatchType, TagTest } from '../event/tag-filter.js';

/** With what hearing begins: what comes now, what followed a cursor, a time in milliseconds, or all that is kept. */
export type From = 'now' | 'start' | { readonly cursor: string } | { readonly time: number };

export interface Listen {
  readonly from?: From;
  /** None: every tag. */
  readonly tags?: readonly string[];
  readonly match?: MatchType;
  /** What the listener may hear of that at all; all of it when missing. Its own patterns, which may be costly, see nothing else. */
  readonly mayHear?: TagTest;
  /** Ends when all has come that is there now. */
  readonly until?: 'now';
  /** Events that may wait for this listener; then a gap. */
  readonly limit?: number;
  /** Wants bookmarks: a filter that lets little through hears how far the bus has come, and whoever hears until now, that it is over. */
  readonly bookmarks?: boolean;
}

/** How far the bus has come, where no event says so: resuming from it begins with what comes after. */
export interface Bookmark {
  readonly cursor: string;
  /** All has come that was asked for. */
  readonly ended?: true;
}

/** Iterates over what comes; `break` or `close` ends it. */
export interface Listening extends AsyncIterable<Heard> {
  /** All that waits, as soon as there is anything, if only a bookmark; undefined at the end. */
  take(): Promise<readonly Heard[] | undefined>;
  /** The one behind what was taken last, when it was due then. */
  readonly bookmark: Bookmark | undefined;
  close(): void;
}

/** A call that cannot be carried out as it was asked: its sentence is for whoever asked. */
export class EventProblem extends Error {
  override readonly name: string = 'EventProblem';
  readonly code: string = 'ERR_EVENT';
}

/** Nothing is wrong with the event: there was no room for it, or no time to store it. */
export class NotStored extends EventProblem {
  override readonly name = 'NotStored';
  override readonly code = 'ERR_EVENT_NOT_STORED';
}

export interface EventFeed {
  /** @throws {EventProblem} When a pattern or a cursor is none. */
  subscribe(listen?: Listen): Listening;
  /**
   * Resolves when the event is stored.
   *
   * @throws {EventProblem} When the tag or the data is none. @throws {NotStored} When nothing more can be kept now, or the bus ends.
   */
  fire(tag: string, data: ValueMap, origin: Origin): Promise<void>;
}
