/**
 * A contract is one message kind: who may send it, how long it lives, and what it holds. Nothing else in the project spells a kind.
 *
 * Spec: spec/wire.md#kinds.
 */
import type * as z from 'zod/mini';

/** Who may send a kind: an identity (minion or account; the roster says which) or the services of a role. */
export type SenderRole = 'identity' | 'gateway' | 'acl' | 'runner' | 'reactor' | 'sink';

export interface Contract<S extends z.ZodMiniType = z.ZodMiniType> {
  readonly kind: string;
  readonly from: readonly SenderRole[];
  /** Longest lifetime in milliseconds that a message of this kind may claim. */
  readonly lifetimeMs: number;
  readonly schema: S;
}

/** Stands for the answer where nothing is said but that it is done: spec/envelope.md#receipt. */
export const RECEIPT = 'receipt';

export type Body<C> = C extends Contract<infer S> ? z.output<S> : never;

const JOB_LIFETIME_MS = 60_000;
const OTHER_LIFETIME_MS = 30_000;

export function contract<S extends z.ZodMiniType>(kind: string, from: readonly SenderRole[], schema: S): Contract<S> {
  return { kind, from, schema, lifetimeMs: kind === 'job' ? JOB_LIFETIME_MS : OTHER_LIFETIME_MS };
}
