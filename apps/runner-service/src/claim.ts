/**
 * Which replica reacts to an event: every one hears it, and the one that creates the record of the reaction does, so that nothing
 * runs twice. The record stays for longer than the event could come again.
 */
import { digestOf, type Store } from '@natrium/bus';
import { encode } from '@natrium/envelope';
import { type Patience, whileAway } from './asked-while-away.js';
import { createOwn } from './own-record.js';

export interface Claim {
  readonly event: string;
  readonly reaction: string;
  readonly instance: string;
  /** ms since 1970, when it is claimed: it tells this claim from an earlier one of the same instance. */
  readonly at: number;
}

/**
 * Whether it is this claim that has the reaction. It is written again for a minute where the broker does not take it: which try it is that
 * was taken is nothing to whoever claims, and without it the event has nobody who reacts.
 *
 * @throws {Error} When nobody knows; the reaction may be taken by then.
 */
export function claim(taken: Store, claimed: Claim, patience: Patience): Promise<boolean> {
  const { event, reaction, instance, at } = claimed;
  const key = `e.${digestOf(new TextEncoder().encode(`${reaction}\n${event}`))}`;
  return createOwn(taken, key, encode([instance, at]), whileAway(patience));
}
