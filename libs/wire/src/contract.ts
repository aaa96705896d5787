/**
 * A contract is one message kind: who may send it, how long it lives, and what it holds. Nothing else in the project spells a kind.
 *
 * Spec: spec/wire.md#kinds.
 */
import { MAX_BRIEF_VALUES, MAX_VALUES } from '@natrium/model';
import type * as z from 'zod/mini';

/** Who may send a kind: an identity (minion or account; the roster says which) or the services of a role. */
export type SenderRole = 'identity' | 'gateway' | 'acl' | 'runner' | 'reactor' | 'sink';

export interface Contract<S extends z.ZodMiniType = z.ZodMiniType> {
  readonly kind: string;
  readonly from: readonly SenderRole[];
  /** Longest lifetime in milliseconds that a message of this kind may claim. */
  readonly lifetimeMs: number;
  /** Items of lists and entries of maps in its body, all together, where a host or an account may have made it. */
  readonly maxValues: number;
  readonly schema: S;
}

/** Stands for the answer where nothing is said but that it is done: spec/envelope.md#receipt. */
export const RECEIPT = 'receipt';

export type Body<C> = C extends Contract<infer S> ? z.output<S> : never;

const JOB_LIFETIME_MS = 60_000;
const OTHER_LIFETIME_MS = 30_000;

export function contract<S extends z.ZodMiniType>(kind: string, from: readonly SenderRole[], schema: S): Contract<S> {
  const lifetimeMs = kind === 'job' ? JOB_LIFETIME_MS : OTHER_LIFETIME_MS;
  return { kind, from, schema, lifetimeMs, maxValues: maxValuesOf(kind, from) };
}

/** Kinds that strangers may send; each has subjects of its own. */
export const OPEN_TO_ALL: ReadonlySet<string> = new Set(['join', 'guest']);

function maxValuesOf(kind: string, from: readonly SenderRole[]): number {
  if (OPEN_TO_ALL.has(kind)) return MAX_BRIEF_VALUES;
  return from.includes('identity') ? MAX_VALUES : Infinity;
}
