/**
 * How many more minions may be accepted: `max_minions`, as it is in force now. Whoever is being accepted here counts already, since
 * many may come at once; two acl-services that accept somebody in the same moment may pass the limit by as many.
 *
 * Diverges: Salt counts who is connected (compat/divergences.md).
 */
import type { MasterConfig } from '@natrium/config';
import { UnderWay } from '@natrium/process';
import type { Roster } from '../roster/roster.js';

export class Room {
  /** Those whose acceptance is being written: they count already. */
  readonly #accepting = new UnderWay();

  constructor(
    private readonly roster: Pick<Roster, 'count'>,
    private readonly config: () => Pick<MasterConfig, 'max_minions'>,
  ) {}

  /** Infinity where there is no limit; below 0 where the limit was lowered under what is accepted. */
  get left(): number {
    const { max_minions: max } = this.config();
    return max === 0 ? Infinity : max - this.roster.count('accepted') - this.#accepting.size;
  }

  /** Accepts one by `write`. The caller has seen that there is room. */
  accepting<T>(write: () => Promise<T>): Promise<T> {
    return this.#accepting.during(write);
  }
}
