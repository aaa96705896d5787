/** The next user of the broker for a party that is accepted now. Spec: spec/broker.md#users. */
import type { Opened } from '@natrium/bus';
import type { Body, contracts } from '@natrium/wire';
import type { BrokerUsers } from './broker-users.js';
import type { Roster } from './roster.js';

export class Renewing {
  constructor(
    private readonly roster: Roster,
    private readonly users: BrokerUsers | undefined,
  ) {}

  /** @returns undefined for a party that is not accepted: it hears nothing. */
  async handle({ party }: Opened<typeof contracts.renew>): Promise<Body<typeof contracts.renewed> | undefined> {
    const record = this.roster.byKey(party.owner.key);
    if (record?.state !== 'accepted') return undefined;
    return { user: (await this.users?.userOf(record)) ?? null };
  }
}
