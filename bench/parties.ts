/** Parties in this process that know each other, as the real ones do after hello: for timing their work without a broker. */
import { Clock, Directory, OwnParty, Roles, Sealer } from '@natrium/bus';
import {
  clusterOf,
  fp,
  type Identity,
  identityFrom,
  type KnownParty,
  newIdentitySecret,
  type Owner,
} from '@natrium/envelope';

const SKEW_MS = 30_000;
const DAY_MS = 24 * 3_600_000;
const LIFETIMES = { epochMs: DAY_MS, overlapMs: 3_600_000, announcementMs: DAY_MS };

export interface Party {
  readonly identity: Identity;
  readonly known: KnownParty;
  readonly fp: string;
  readonly sealer: Sealer;
}

export interface Parties {
  readonly roles: Roles;
  readonly clock: Clock;
  readonly gateway: Party;
  readonly acl: Party;
  readonly minions: readonly Party[];
}

/** Needs libsodium to be ready. */
export function partiesWith(minions: number): Parties {
  const fresh = () => identityFrom(newIdentitySecret());
  const [root, gateway, acl] = [fresh(), fresh(), fresh()];
  const clock = new Clock(SKEW_MS);
  const document = {
    serial: 1,
    notAfter: clock.now() + DAY_MS,
    roles: { gateway: [gateway.publicKey], acl: [acl.publicKey], runner: [], reactor: [], sink: [] },
    nextRoot: null,
  };
  const roles = new Roles(clusterOf(root.publicKey), document, [root.publicKey, []]);
  const service = (role: 'gateway' | 'acl', { publicKey }: Identity) =>
    party(fromRole(role, publicKey), role === 'gateway' ? gateway : acl, 'service', roles, clock);
  const all = {
    gateway: service('gateway', gateway),
    acl: service('acl', acl),
    minions: Array.from({ length: minions }, fresh).map((identity) =>
      party({ type: 'identity', key: identity.publicKey }, identity, 'jobs', roles, clock),
    ),
  };
  introduce([all.gateway, all.acl, ...all.minions]);
  return { roles, clock, ...all };
}

function fromRole(role: 'gateway' | 'acl', key: Uint8Array): Owner {
  return { type: 'role', role, instance: `${role}1`, key };
}

function party(owner: Owner, identity: Identity, use: 'jobs' | 'service', roles: Roles, clock: Clock): Party {
  const own = new OwnParty(
    { owner, signing: identity.signing, cluster: roles.cluster, use, rolesSerial: 1 },
    LIFETIMES,
  );
  const known = roles.read(own.rotate(clock.now()), clock.now(), SKEW_MS);
  if (!known.ok) throw new Error(`a party's own announcement is not read: ${known.error}`);
  const sealer = new Sealer(own, new Directory(() => clock.now()), roles, clock);
  return { identity, known: known.value, fp: fp(identity.publicKey), sealer };
}

function introduce(parties: readonly Party[]): void {
  for (const { sealer } of parties) for (const { known } of parties) sealer.directory.learn(known);
}
