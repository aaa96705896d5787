/**
 * What a function says besides its value, and what its call comes to.
 *
 * Most functions return a plain value. One that has an exit code, an outputter, a refusal or a sentence for the person
 * at the terminal returns a `Reply`.
 */
import type { Refusal, Value } from '@natrium/model';

export interface ReplyOptions {
  /** 0 unless given; anything else makes the job unsuccessful. */
  readonly retcode?: number;
  /** Outputter that suits the value. */
  readonly out?: string;
  /** Sentences for the person who asked, not part of the value: what is missing, what was cut. */
  readonly notes?: readonly string[];
  /** When the gate said no; `ret` is then its sentence. */
  readonly refusal?: Refusal;
}

export class Reply {
  constructor(
    readonly ret: Value,
    readonly options: ReplyOptions,
  ) {}
}

export function reply(ret: Value, options: ReplyOptions): Reply {
  return new Reply(ret, options);
}

/** Why a call has no value of its own: for callers that show or count these apart (`natrium-call` exits 255 for the first). */
export type Fault = 'unavailable' | 'arguments' | 'failed' | 'exception' | 'aborted';

/** What went wrong in bare words, for who frames them otherwise than `ret` does. */
export interface Problem {
  readonly sentence: string;
  /** For wrong arguments: the function's documentation. */
  readonly usage?: string;
}

export interface Outcome {
  readonly ret: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly notes: readonly string[];
  readonly out?: string;
  readonly refusal?: Refusal;
  readonly fault?: Fault;
  /** With the faults `arguments`, `failed` and `exception`. */
  readonly problem?: Problem;
}
