/**
 * Guests of the broker: somebody on the master's host who has no key of the cluster, and wants to log in as an external user.
 *
 * The key that asks is of its own making and proves nothing; the user is for that key's own subjects, by which only logins and
 * what their tokens prove are asked. Spec: spec/broker.md#users.
 */
import type { Opened } from '@natrium/bus';
import type { Budget } from '@natrium/flow';
import { refusal } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { BrokerUsers } from './broker-users.js';

const TOO_MANY = refusal('slow_down', 'too many logins without a key in a short time; wait a moment and try again');

export class Guests {
  constructor(
    private readonly users: Pick<BrokerUsers, 'guestOf'> | undefined,
    /** Of all guests together: whoever makes new keys has as many names as he likes. */
    private readonly budget: Budget,
    private readonly now: () => number,
  ) {}

  async handle({ body, party }: Opened<typeof contracts.guest>): Promise<Body<typeof contracts.guested>> {
    if (!this.budget.take('guest', this.now())) return { refusal: TOO_MANY, user: null };
    const user = await this.users?.guestOf({ identity: party.owner.key, nkey: body.nkey });
    return { refusal: null, user: user ?? null };
  }
}
