/** The next user of the broker for a party that is accepted now. Spec: spec/broker.md#users. */
import type { Opened } from '@natrium/bus';
import { toHex } from '@natrium/envelope';
import type { Budget } from '@natrium/flow';
import type { Body, contracts } from '@natrium/wire';
import type { BrokerUsers } from './broker-users.js';
import type { Roster } from '../roster/roster.js';

export class Renewing {
  constructor(
    private readonly roster: Roster,
    private readonly users: BrokerUsers | undefined,
    private readonly budget: Budget,
    /** Milliseconds of this host's clock. */
    private readonly now: () => number,
  ) {}

  /** @returns undefined for a party that is not accepted, or asks too often: it hears nothing. */
  async handle({ party }: Opened<typeof contracts.renew>): Promise<Body<typeof contracts.renewed> | undefined> {
    const { key } = party.owner;
    const record = this.roster.byKey(key);
    if (record?.state !== 'accepted' || !this.budget.take(toHex(key), this.now())) return undefined;
    return { user: (await this.users?.userOf(record)) ?? null };
  }
}
