/** A minion's signed grains and announcement come in: kept, told to the gateways, and answered with its pillar. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encode, equalBytes, fp, signedToWire, toHex } from '@natrium/envelope';
import type { Budget } from '@natrium/flow';
import type { Body, contracts } from '@natrium/wire';
import type { Inventory } from './inventory.js';
import type { Roster } from '../roster/roster.js';

type Pillar = Body<typeof contracts.pillar>;

/** Where a minion's announcement for its jobs is kept. */
export function announcementPlace(identity: Uint8Array): string {
  return `m.${fp(identity)}`;
}

export class MinionData {
  constructor(
    private readonly link: RoleLink,
    private readonly roster: Roster,
    private readonly inventory: Inventory,
    private readonly budget: Budget,
  ) {}

  /** @returns undefined for a party that is not an accepted minion, or data that is not its own: it hears nothing. */
  async handle({ body, party }: Opened<typeof contracts.data>): Promise<Pillar | undefined> {
    const { key } = party.owner;
    const minion = this.roster.callerOf(key);
    if (minion?.kind !== 'minion' || !this.budget.take(toHex(key), this.link.clock.own())) return undefined;
    const { roles, clock, announcements } = this.link;
    const announced = roles.read(body.announcement, clock.now(), clock.skewMs);
    if (!announced.ok || announced.value.use !== 'jobs' || !equalBytes(announced.value.owner.key, key))
      return undefined;
    if (!(await this.inventory.write(key, body.data))) return undefined;
    await announcements.put(announcementPlace(key), encode(signedToWire(body.announcement)));
    return this.inventory.pillarOf(key, minion.name);
  }
}
