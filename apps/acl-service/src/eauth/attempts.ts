/**
 * How often somebody may fail: a budget for each account and one for each address. Who has used it up is refused without a look
 * at the password, until the time is over. Kept in memory, by each replica for itself.
 */
import { folded } from './ldap-text.js';

const WINDOW_MS = 5 * 60_000;
const MAX_KEPT = 100_000;
const BUDGET = { account: 10, address: 100 } as const;

interface Failures {
  count: number;
  until: number;
}

export interface Attempt {
  readonly eauth: string;
  readonly username: string;
  readonly address: string;
}

export class Attempts {
  readonly #failures = new Map<string, Failures>();

  constructor(private readonly now: () => number) {}

  isLocked(attempt: Attempt): boolean {
    return budgetsOf(attempt).some(([key, budget]) => {
      const failures = this.#failures.get(key);
      return failures !== undefined && failures.until > this.now() && failures.count >= budget;
    });
  }

  failed(attempt: Attempt): void {
    for (const [key] of budgetsOf(attempt)) {
      const failures = this.#failures.get(key);
      if (failures !== undefined && failures.until > this.now()) failures.count += 1;
      else this.#begin(key);
    }
  }

  /** Only the account's own count begins anew: one good login does not hide a search from the same address. */
  succeeded({ eauth, username }: Attempt): void {
    this.#failures.delete(accountKey(eauth, username));
  }

  #begin(key: string): void {
    this.#failures.delete(key);
    this.#failures.set(key, { count: 1, until: this.now() + WINDOW_MS });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_KEPT && oldest !== undefined) this.#failures.delete(oldest);
  }
}

function budgetsOf({ eauth, username, address }: Attempt): readonly (readonly [string, number])[] {
  return [
    [accountKey(eauth, username), BUDGET.account],
    [`address ${address}`, BUDGET.address],
  ];
}

/** Directories take a name in any case, and with any blanks: each spelling is the same account. */
function accountKey(eauth: string, username: string): string {
  return `account ${eauth} ${folded(username)}`;
}
