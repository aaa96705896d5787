/**
 * What came of what: an event that a reaction led to names the event before it, so that reactions that set off one another come to an end.
 *
 * Spec: docs/reactor.md#loops-and-floods.
 */
import { fromPlain, isMap, type Principal, type Request, type Value, type ValueMap } from '@natrium/model';

/** The option of a request that names what it answers. */
export const CAUSE = 'cause';
/** Beside the data of an event that a reaction caused: the event before it, the reaction, and how many came one from another. */
export const CAUSE_KEY = '_cause';

export interface Cause {
  readonly event: string;
  readonly reaction: string;
  /** 1: the event was not caused by a reaction. */
  readonly depth: number;
}

/** What a granted request came of, when a reaction asked, or a runner that it set off. Nobody else's word counts. */
export function causeOf({ options }: Pick<Request, 'options'>, { kind }: Pick<Principal, 'kind'>): Value | undefined {
  const cause = options[CAUSE];
  return cause === undefined || (kind !== 'reactor' && kind !== 'runner') ? undefined : fromPlain(cause);
}

/** The event's data with its cause, whatever they say of one themselves. */
export function withCause(data: ValueMap, cause: Value | undefined): ValueMap {
  const { [CAUSE_KEY]: _, ...own } = data;
  return cause === undefined ? own : { ...own, [CAUSE_KEY]: cause };
}

/** How many reactions an event came of, one from another. What services say of it counts; what anybody else writes there does not. */
export function depthOf({
  data,
  origin,
}: {
  readonly data: ValueMap;
  readonly origin: { readonly kind: string };
}): number {
  if (origin.kind !== 'service' && origin.kind !== 'runner') return 0;
  const cause = data[CAUSE_KEY];
  const depth = isMap(cause) ? cause['depth'] : undefined;
  return typeof depth === 'number' && Number.isInteger(depth) && depth > 0 ? depth : 0;
}
