/** The messages of the event bus. Spec: spec/wire.md. */
import * as z from 'zod/mini';
import { contract } from './contract.js';
import { fields, listOf } from './codec.js';
import { bytesOf, count, GrantRun, publicKey, refused, text, value } from './fields.js';

const MAX_EVENTS = 5000;

/** An event as a minion fired it. `load`: set for the single form, what else Salt's payload of it holds. */
export const FiredEvent = fields({ tag: text(1024), data: value, load: z.nullable(value), stamp: count });
/** A minion's events in the order of their numbers, which rise by one from `first`; before them `dropped` were lost. */
export const events = contract(
  'events',
  ['identity'],
  fields({ first: count, dropped: count, events: listOf(FiredEvent, MAX_EVENTS) }),
);
/** Every event of this minion up to that number is stored, or was refused. */
export const eventsStored = contract('events_stored', ['gateway'], fields({ through: count }));

/**
 * A service has an event for the master bus; a runner's function, with the grant-run that started it. Numbers of a lane rise; the same one
 * asked for again is the same event.
 */
export const fire = contract(
  'fire',
  ['acl', 'runner', 'reactor'],
  fields({ tag: text(1024), data: value, grantRun: z.nullable(GrantRun), lane: bytesOf(16), number: count }),
);
export const fired = contract('fired', ['gateway'], fields({ refusal: z.nullable(refused) }));

/** The gateway tells the audit of an event that it refused. */
export const eventRefused = contract('event_refused', ['gateway'], fields({ key: publicKey, tag: text(1024), count }));
export const noted = contract('noted', ['acl'], fields({ count }));
