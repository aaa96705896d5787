/**
 * Announcements: a party's signed word which epoch key is his, for what use and until when.
 *
 * An identity announces `jobs` or a `session`; a role's instance announces a `service`, under a key that the roles
 * document names. The order: shape, role key, signature, epoch key, time. Whether the identity is accepted, and that
 * `notBefore` only rises among its `jobs`, is for the receiver.
 *
 * Spec: spec/envelope.md#announcements; vectors: spec/vectors/announcements.json.
 */
import { err, MAX_BRIEF_VALUES, ok, type Result } from '@natrium/model';

import { equalBytes, toHex } from './bytes.js';
import { encode, type Wire } from './encoding.js';
import { isUsableEpochKey } from './epoch.js';
import { keyId } from './keys.js';
import { bin, fields, int, MAX_TIME, oneOf, refuse, shaped, text, time } from './shape.js';
import { ROLE_NAMES, type RoleName } from './roles.js';
import { Slab } from './slab.js';
import { type Cluster, type Signed, signed, type SigningKey, verify } from './signing.js';

export type Owner =
  | { readonly type: 'identity'; readonly key: Uint8Array }
  | { readonly type: 'role'; readonly role: RoleName; readonly instance: string; readonly key: Uint8Array };

const ANNOUNCED_USES = ['jobs', 'session', 'service'] as const;
export type AnnouncedUse = (typeof ANNOUNCED_USES)[number];

export interface Announcement {
  readonly owner: Owner;
  readonly use: AnnouncedUse;
  readonly epochKey: Uint8Array;
  /** ms since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Of the newest roles document that the announcing party knows. */
  readonly rolesSerial: number;
}

/** A party as its verified announcement tells it. */
export interface KnownParty extends Announcement {
  readonly keyId: Uint8Array;
  /** The announcement itself, which hello passes on; kept of services only, since a gateway knows a whole fleet of minions. */
  readonly announced?: Signed;
}

export type AnnouncementProblem = 'shape' | 'role_key' | 'signature' | 'epoch_key' | 'expired' | 'future';
export type RolesKeyOf = (role: RoleName) => readonly Uint8Array[];

const MAX_INSTANCE = 64;

/** @throws {RangeError} When a field doesn't fit: the receiver would refuse it. */
export function announce(signing: SigningKey, cluster: Cluster, announcement: Announcement): Signed {
  const { owner, use, epochKey, notBefore, notAfter, rolesSerial } = announcement;
  const ownerWire = owner.type === 'identity' ? owner.key : [owner.role, owner.instance, owner.key];
  const bytes = encode([ownerWire, use, epochKey, notBefore, notAfter, rolesSerial]);
  if (shaped(bytes, readShape) === undefined) throw new RangeError('not an announcement');
  return signed(signing, 'announce', cluster, bytes);
}

/** @param rolesKeyOf The keys of a role in the newest roles document; unused for identities. */
export function readAnnouncement(
  object: Signed,
  cluster: Cluster,
  now: number,
  rolesKeyOf: RolesKeyOf,
  skewMs: number,
): Result<KnownParty, AnnouncementProblem> {
  const announcement = shaped(object.bytes, readShape, MAX_BRIEF_VALUES);
  if (announcement === undefined) return err('shape');
  const { owner, epochKey } = announcement;
  if (owner.type === 'role' && !rolesKeyOf(owner.role).some((key) => equalBytes(key, owner.key)))
    return err('role_key');
  if (!verify('announce', cluster, owner.key, object.bytes, object.signature)) return err('signature');
  if (!isUsableEpochKey(epochKey)) return err('epoch_key');
  const party = announcedNow(keptTogether(announcement), now, skewMs);
  if (!party.ok || owner.type === 'identity') return party;
  const announced = { bytes: new Uint8Array(object.bytes), signature: new Uint8Array(object.signature) };
  return ok({ ...party.value, announced });
}

/** Whether what a verified announcement tells counts now. */
export function announcedNow(party: KnownParty, now: number, skewMs: number): Result<KnownParty, AnnouncementProblem> {
  if (now > party.notAfter) return err('expired');
  return party.notBefore > now + skewMs ? err('future') : ok(party);
}

/** Bytes of a party's three keys. */
const PARTY = 96;

/** The announcements of minions are renewed once in an epoch; those of sessions come and go, and would leave holes. */
const minions = new Slab(PARTY);

/** Puts the keys of a party into one buffer: three buffers would be most of the memory that a known party takes. */
function keptTogether(announcement: Announcement): KnownParty {
  const { owner, use, epochKey, notBefore, notAfter, rolesSerial } = announcement;
  const keys = use === 'jobs' ? minions.take() : new Uint8Array(PARTY);
  for (const [at, key] of [owner.key, epochKey, keyId(owner.key, epochKey)].entries()) keys.set(key, at * 32);
  const [key, epoch, id] = [keys.subarray(0, 32), keys.subarray(32, 64), keys.subarray(64, PARTY)];
  // Written out: copies with other parts (`...`) are objects of many kinds to V8, which looks for each field of each party anew.
  const kept: Owner =
    owner.type === 'identity'
      ? { type: 'identity', key }
      : { type: 'role', role: owner.role, instance: owner.instance, key };
  return { owner: kept, use, epochKey: epoch, notBefore, notAfter, rolesSerial, keyId: id };
}

/** A text that is equal exactly for equal owners: an identity by its key, hexadecimal, a role by its name and instance. */
export function ownerName(owner: Owner): string {
  return owner.type === 'identity' ? toHex(owner.key) : `r${owner.role}/${owner.instance}`;
}

function readShape(wire: Wire): Announcement {
  const [owner, use, epochKey, notBefore, notAfter, rolesSerial] = fields(wire, 6);
  const announcement = {
    owner: readOwner(owner),
    use: oneOf(use, ANNOUNCED_USES),
    epochKey: bin(epochKey, 32),
    notBefore: time(notBefore),
    notAfter: time(notAfter),
    rolesSerial: int(rolesSerial, 0, MAX_TIME),
  };
  const isService = announcement.use === 'service';
  if (isService !== (announcement.owner.type === 'role')) refuse();
  return announcement.notBefore < announcement.notAfter ? announcement : refuse();
}

function readOwner(wire: Wire | undefined): Owner {
  if (wire instanceof Uint8Array) return { type: 'identity', key: bin(wire, 32) };
  const [role, instance, key] = fields(wire, 3);
  return { type: 'role', role: oneOf(role, ROLE_NAMES), instance: text(instance, MAX_INSTANCE), key: bin(key, 32) };
}
