/** What the caller of a job hears of it, in this order: `started` or `refused`, each return as it comes, `end`. */
import type { Jid } from './jid.js';
import type { Refusal } from './refusal.js';
import type { Value } from './value.js';

/** One minion's answer. Several functions asked: `ret` is a map by function. */
export interface JobReturn {
  readonly id: string;
  readonly ret: Value;
  /** 0 when all is well; the function's own otherwise; the worst when several functions ran. */
  readonly retcode: number;
  readonly success: boolean;
  /** Outputter that the function asks for. */
  readonly out?: string;
}

/** Outputters that show nothing of a return, or not all of it. */
const HIDING: ReadonlySet<string> = new Set(['quiet', 'no_return']);

/**
 * The outputter of one minion's return as one for the returns of several that are shown together: none where it would hide them.
 *
 * Diverges: Salt takes it as it is, so that one minion can keep all the others' returns from being shown.
 */
export function outForAll(out: string | undefined): string | undefined {
  return out === undefined || HIDING.has(out) ? undefined : out;
}

/** Why a minion that was asked has not returned when the job's gathering ends. */
export const ABSENT_WHYS = ['not_connected', 'running', 'no_answer', 'refused'] as const;
export type AbsentWhy = (typeof ABSENT_WHYS)[number];

export interface Absent {
  readonly id: string;
  readonly why: AbsentWhy;
  /** For `refused`: the minion's own sentence; for `no_answer`: what is known of the reason, where anything is. */
  readonly sentence?: string;
}

export type JobNews =
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | {
      readonly type: 'started';
      readonly jid: Jid;
      readonly minions: readonly string[];
      /** Ids of a list target that no accepted minion has. */
      readonly missing: readonly string[];
    }
  | ({ readonly type: 'return' } & JobReturn)
  | { readonly type: 'end'; readonly absent: readonly Absent[] };
