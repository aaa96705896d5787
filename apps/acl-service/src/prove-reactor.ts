/**
 * The reactor asks with the key of its role: the request says which reaction it is, and its list is in `reactor_grants`.
 *
 * Spec: docs/reactor.md#what-a-reaction-may-run.
 */
import type { RoleLink } from '@natrium/edge';
import { equalBytes } from '@natrium/envelope';
import { CAUSE, REACTION } from '@natrium/flow';
import { type Principal, type Request } from '@natrium/model';

const NAME = /^[\w.-]{1,127}$/;

/** Whose request it would be under this key; its signature is checked as any other's. */
export function reactorOf(link: RoleLink, key: Uint8Array, { options }: Request): Principal | undefined {
  const name = options[REACTION];
  if (typeof name !== 'string' || !NAME.test(name)) return undefined;
  return link.roles.keysOf('reactor').some((known) => equalBytes(known, key)) ? { kind: 'reactor', name } : undefined;
}

/** The event that set the reaction off, as the request says it. */
export function eventOf({ options }: Request): string | undefined {
  const cause = options[CAUSE];
  const event = isCause(cause) ? cause.event : undefined;
  return typeof event === 'string' ? event.slice(0, 128).toWellFormed() : undefined;
}

function isCause(value: unknown): value is { readonly event?: unknown } {
  return typeof value === 'object' && value !== null;
}
