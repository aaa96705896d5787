/** What a caller signs, as every party reads it; the bytes travel verbatim. Spec: spec/envelope.md#requests. */
import type { Plain } from './tagged-value.js';

export type RequestWhat = 'job' | 'run' | 'wheel' | 'key' | 'jobs' | 'audit' | 'token';

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

/** Bytes exactly as they were signed, and the signature. */
export interface Signed {
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}
