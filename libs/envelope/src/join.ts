/**
 * The request to join: an id, both public keys and the joiner's announcement, signed by the identity that it names.
 *
 * The signature proves that the joiner has the key, nothing more; whether the id may have it is the acl-service's.
 *
 * Spec: spec/envelope.md#join.
 */
import { err, MAX_BRIEF_VALUES, ok, type Result } from '@natrium/model';

import { type KnownParty, readAnnouncement } from './announcement.js';
import { equalBytes } from './bytes.js';
import { encode, type Wire } from './encoding.js';
import { bin, blob, fields, MAX_NAME, shaped, text, time } from './shape.js';
import { type Cluster, readSigned, type Signed, signed, signedToWire, type SigningKey, verify } from './signing.js';

export interface JoinRequest {
  readonly id: string;
  /** Public keys, 32 bytes each. */
  readonly identity: Uint8Array;
  readonly nkey: Uint8Array;
  readonly announcement: Signed;
  /** ms since 1970. */
  readonly issued: number;
  /** 16 to 64 bytes. */
  readonly nonce: Uint8Array;
}

export interface CheckedJoin extends JoinRequest {
  readonly party: KnownParty;
}

export type JoinProblem = 'shape' | 'signature' | 'announcement' | 'expired' | 'future';

export function signJoin(identity: SigningKey, cluster: Cluster, join: JoinRequest): Signed {
  const { id, identity: key, nkey, announcement, issued, nonce } = join;
  const bytes = encode([id, key, nkey, signedToWire(announcement), issued, nonce]);
  if (shaped(bytes, readShape) === undefined) throw new RangeError('not a join request');
  return signed(identity, 'join', cluster, bytes);
}

/** Checks shape, signature under the identity in it, its announcement under the same identity, and its age. */
export function readJoin(
  object: Signed,
  cluster: Cluster,
  check: {
    readonly now: number;
    readonly skewMs: number;
    readonly maxAgeMs: number;
    /** Reads the announcement in it, where the caller does so more than once and remembers it. */
    readonly readAnnouncement?: (announcement: Signed) => Result<KnownParty, unknown>;
  },
): Result<CheckedJoin, JoinProblem> {
  const join = shaped(object.bytes, readShape, MAX_BRIEF_VALUES);
  if (join === undefined) return err('shape');
  if (!verify('join', cluster, join.identity, object.bytes, object.signature)) return err('signature');
  const party =
    check.readAnnouncement?.(join.announcement) ??
    readAnnouncement(join.announcement, cluster, check.now, () => [], check.skewMs);
  if (!party.ok || !isOf(party.value, join.identity)) return err('announcement');
  if (join.issued > check.now + check.skewMs) return err('future');
  return check.now > join.issued + check.maxAgeMs ? err('expired') : ok({ ...join, party: party.value });
}

function isOf({ owner }: KnownParty, identity: Uint8Array): boolean {
  return owner.type === 'identity' && equalBytes(owner.key, identity);
}

function readShape(wire: Wire): JoinRequest {
  const [id, identity, nkey, announcement, issued, nonce] = fields(wire, 6);
  return {
    id: text(id, MAX_NAME),
    identity: bin(identity, 32),
    nkey: bin(nkey, 32),
    announcement: readSigned(announcement),
    issued: time(issued),
    nonce: new Uint8Array(blob(nonce, 16, 64)),
  };
}
