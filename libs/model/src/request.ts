/** What a caller signs, as every party reads it; the bytes travel verbatim. Spec: spec/envelope.md#requests. */
import type { Plain } from './tagged-value.js';

export const REQUEST_WHATS = ['job', 'run', 'wheel', 'key', 'jobs', 'audit', 'token'] as const;
export type RequestWhat = (typeof REQUEST_WHATS)[number];

/** Functions in one request, and characters of a function's name. */
export const [MAX_FUNS, MAX_FUN] = [64, 256];
/** Seconds: nobody waits longer for returns. */
export const MAX_TIMEOUT = 86_400;
/** Milliseconds: no request lives longer. */
export const MAX_LIFETIME = MAX_TIMEOUT * 1000;
/** Milliseconds: no grant of a job lives longer. */
export const MAX_GRANT_JOB = 60_000;
const GRACE_MS = 60_000;

/** How long a request lives: a minute longer than its caller waits. @param timeout Seconds; a fraction counts as a whole one. @returns ms. */
export function lifetimeOf(timeout: number): number {
  return Math.min(Math.ceil(timeout) * 1000 + GRACE_MS, MAX_LIFETIME);
}

export interface Request {
  /** 16 random bytes. */
  readonly id: Uint8Array;
  readonly what: RequestWhat;
  readonly funs: readonly string[];
  /** Parsed arguments, one list for each function; named ones as a last map with `__kwarg__`. */
  readonly args: readonly (readonly Plain[])[];
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  readonly returner: string;
  readonly returnerOptions: { readonly [key: string]: Plain };
  /** Seconds to wait for returns. */
  readonly timeout: number;
  /** Every other option that reaches a minion. */
  readonly options: { readonly [key: string]: Plain };
  /** Milliseconds since 1970. */
  readonly issued: number;
  /** Milliseconds. */
  readonly lifetime: number;
}

/** Bytes exactly as they were signed, and the signature over them, their purpose and the cluster (spec/envelope.md#signing). */
export interface Signed {
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}
