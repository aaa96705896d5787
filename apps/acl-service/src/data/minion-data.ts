/** A minion's signed grains and announcement come in: kept, told to the gateways, and answered with its pillar. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encode, equalBytes, fp, signedToWire, toHex } from '@natrium/envelope';
import type { Budget } from '@natrium/flow';
import { MAX_KEPT_BYTES } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { Inventory } from './inventory.js';
import type { Roster } from '../roster/roster.js';

type Pillar = Body<typeof contracts.pillar>;

/** Reading a document takes as long as it is large: so many bytes of it cost as much as a request. */
const BYTES_OF_A_REQUEST = 4096;

interface Parts {
  readonly roster: Pick<Roster, 'callerOf'>;
  readonly inventory: Pick<Inventory, 'write' | 'pillarOf'>;
  readonly budget: Budget;
  readonly log: Pick<Logger, 'error'>;
}

/** What is used of a `RoleLink`. */
type Link = Pick<RoleLink, 'roles' | 'clock' | 'announcements'>;

/** Where a minion's announcement for its jobs is kept. */
export function announcementPlace(identity: Uint8Array): string {
  return `m.${fp(identity)}`;
}

export class MinionData {
  /** Why whose data are not taken: the log says it once. */
  readonly #told = new Set<string>();

  constructor(
    private readonly link: Link,
    private readonly parts: Parts,
  ) {}

  /** @returns undefined for a party that is not an accepted minion, or data that is not its own: it hears nothing. */
  async handle({ body, party }: Opened<typeof contracts.data>): Promise<Pillar | undefined> {
    const { key } = party.owner;
    const { roster, inventory, budget } = this.parts;
    const { roles, clock, announcements } = this.link;
    const minion = roster.callerOf(key);
    if (minion?.kind !== 'minion' || !budget.take(toHex(key), clock.own())) return undefined;
    if (body.data.bytes.length > MAX_KEPT_BYTES) {
      this.#tell(minion.name, 'larger than 1 MiB');
      return undefined;
    }
    budget.charge(toHex(key), Math.floor(body.data.bytes.length / BYTES_OF_A_REQUEST), clock.own());
    const announced = roles.read(body.announcement, clock.now(), clock.skewMs);
    if (!announced.ok || announced.value.use !== 'jobs' || !equalBytes(announced.value.owner.key, key))
      return undefined;
    if (!(await inventory.write(key, body.data))) {
      this.#tell(minion.name, 'not newer than those that are there, or more than 100,000 values, or not its own');
      return undefined;
    }
    await announcements.put(announcementPlace(key), encode(signedToWire(body.announcement)));
    return inventory.pillarOf(key, minion.name);
  }

  #tell(minion: string, why: string): void {
    const sentence = `grains of ${minion} are not taken: they are ${why}`;
    if (!this.#told.has(sentence)) this.parts.log.error({ minion }, sentence);
    this.#told.add(sentence);
  }
}
