/** The master's event bus as the gateway's own listeners see it: `/events`, `/ws` and `/hook` know nothing else of it. */
import type { Origin } from '@natrium/events';
import type { Principal, ValueMap } from '@natrium/model';

export interface FeedEvent {
  /** Its place: who comes back with it misses nothing. */
  readonly cursor: string;
  readonly tag: string;
  readonly data: ValueMap;
  /** UTC, ISO, microseconds, no zone, as Salt's `_stamp`. */
  readonly stamp: string;
  /** Whose job or run it tells of; undefined: nobody's, or it was not wanted. */
  readonly owner?: Principal;
}

export interface Subscription {
  /** A cursor: everything after it; `now` (the default): only what comes. */
  readonly from?: string;
  /** Whether owners are wanted now: to look for one takes a while. Without it they are. */
  readonly namesOwners?: () => boolean;
  readonly signal?: AbortSignal;
}

export interface EventFeed {
  subscribe(subscription: Subscription): AsyncIterable<FeedEvent>;
  /** Resolves when the event is stored. @throws {EventProblem} When the tag is none. */
  fire(tag: string, data: ValueMap, origin: Origin): Promise<void>;
}
