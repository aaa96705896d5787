/**
 * How many audit records strangers may cause. Making a key costs nothing and the audit is kept for ever, so beyond a budget what
 * they do is only counted. Each kind of record has a budget of its own: asking to join a thousand times hides no wrong password.
 */
import type { AuditEntry } from '@natrium/envelope';
import { Budget } from '@natrium/flow';

/** Of each kind: sixty records at once, then one a second. */
const LIMITS = { rate: 1, burst: 60 };

/** The records that anybody may cause: their kinds, and the verdicts of each. */
const ANYBODYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['join', ['denied', 'rejected', 'full']],
  ['login', ['refuse']],
  ['refusal', ['refuse']],
]);

export class StrangersBudget {
  readonly #budget = new Budget(LIMITS);
  #leftOut = new Map<string, number>();

  /** Whether this is recorded; what is not is counted. */
  take({ what, caller, verdict }: AuditEntry, nowMs: number): boolean {
    const isAnybodys = caller === null && ANYBODYS.get(what)?.includes(verdict) === true;
    if (!isAnybodys || this.#budget.take(what, nowMs)) return true;
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
    return false;
  }

  /** How many were left out since this was asked last, by kind. */
  takeLeftOut(): ReadonlyMap<string, number> {
    const leftOut = this.#leftOut;
    this.#leftOut = new Map();
    return leftOut;
  }
}
