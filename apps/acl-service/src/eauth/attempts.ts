/**
 * How often somebody may fail: a budget for each account and one for each address (of IPv6, its /64), over all replicas. Who has
 * used it up is refused without a look at the password, until the time is over.
 *
 * A try takes its part of both budgets before the password is looked at, and gives it back when that was right: so many tries
 * at once, at however many replicas, are no more guesses than one after the other. A try that nobody ended (its process died)
 * keeps its part until the time is over.
 *
 * Spec: spec/acl.md#external-users.
 */
import { countedAddress } from '@natrium/matchers';
import { folded } from './account-name.js';
import type { Change, Tallies, Tally } from './tallies.js';

const WINDOW_MS = 5 * 60_000;
const BUDGET = { account: 10, address: 100 } as const;

export interface Attempt {
  readonly eauth: string;
  readonly username: string;
  readonly address: string;
}

/** A try that has begun: exactly one of these ends it. */
export interface Try {
  failed(): Promise<void>;
  /** Only the account's own count begins anew: one good login does not hide a search from the same address. */
  proved(): Promise<void>;
}

/** `busy`: so many are looked at just now that their failures would use the budget up. */
type Begun = 'locked' | 'busy' | { readonly until: number };
type End = (tally: Tally) => Tally;

export class Attempts {
  constructor(
    private readonly tallies: Tallies,
    private readonly now: () => number,
  ) {}

  /** @throws {Error} When it cannot be counted: then nothing may be looked at. */
  async begin(attempt: Attempt): Promise<'locked' | 'busy' | Try> {
    const account = accountKey(attempt);
    const address = addressKey(attempt);
    const [ofAccount, ofAddress] = await both(this.#take(account, BUDGET.account), this.#take(address, BUDGET.address));
    if (isTaken(ofAccount) && isTaken(ofAddress)) {
      const end = async (accountEnds: End, addressEnds: End) => {
        await both(this.#end(account, ofAccount, accountEnds), this.#end(address, ofAddress, addressEnds));
      };
      return { failed: () => end(failing, failing), proved: () => end(forgiving, giving) };
    }
    // The password is not looked at: an address that is locked takes nothing from any account.
    if (isTaken(ofAccount)) await this.#end(account, ofAccount, giving);
    if (isTaken(ofAddress)) await this.#end(address, ofAddress, ofAccount === 'locked' ? failing : giving);
    return ofAccount === 'locked' || ofAddress === 'locked' ? 'locked' : 'busy';
  }

  /** Whether no password is looked at now, whatever comes. @throws {Error} When that cannot be read. */
  async isLocked(attempt: Attempt): Promise<boolean> {
    const isSpent = (key: string, budget: number) =>
      this.tallies.change<boolean>(key, (known) => [(known?.failed ?? 0) >= budget, known]);
    const [ofAccount, ofAddress] = await both(
      isSpent(accountKey(attempt), BUDGET.account),
      isSpent(addressKey(attempt), BUDGET.address),
    );
    return ofAccount || ofAddress;
  }

  #take(key: string, budget: number): Promise<Begun> {
    return this.tallies.change<Begun>(key, (known) => {
      const tally = known ?? { failed: 0, pending: 0, until: this.now() + WINDOW_MS };
      if (tally.failed >= budget) return ['locked', known];
      if (tally.failed + tally.pending >= budget) return ['busy', known];
      return [{ until: tally.until }, { ...tally, pending: tally.pending + 1 }];
    });
  }

  /** What began in a time that is over since has nothing to give back; a failure counts all the same. */
  #end(key: string, { until }: { readonly until: number }, ends: End): Promise<void> {
    const change: Change<void> = (known) => {
      const tally = known ?? { failed: 0, pending: 0, until: this.now() + WINDOW_MS };
      const own = tally.until === until ? tally : { ...tally, pending: tally.pending + 1 };
      const next = ends(own);
      if (next.failed === 0 && next.pending === 0) return [undefined, undefined];
      return [undefined, isSame(next, known) ? known : next];
    };
    return this.tallies.change(key, change);
  }
}

const giving: End = (tally) => ({ ...tally, pending: tally.pending - 1 });
const failing: End = (tally) => ({ ...giving(tally), failed: tally.failed + 1 });
const forgiving: End = (tally) => ({ ...giving(tally), failed: 0 });

function isSame(next: Tally, known: Tally | undefined): boolean {
  return next.failed === known?.failed && next.pending === known.pending;
}

function isTaken(begun: Begun): begun is { readonly until: number } {
  return typeof begun === 'object';
}

/** Waits for both, also when one fails: nothing of a try goes on behind its back. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Directories take a name in any case, and with any blanks: each spelling is the same account. */
function accountKey({ eauth, username }: Attempt): string {
  return `account/${eauth} ${folded(username)}`;
}

function addressKey({ address }: Attempt): string {
  return `address/${countedAddress(address)}`;
}
