/**
 * Grants: the acl role's word that one request may run, for a job on the minions under a Merkle root or for one run.
 *
 * `grant-job` and `grant-run` are signed as different things, so neither is ever taken for the other; no grant-job lives
 * longer than a minute, both when it is signed and when it is read. The order: signature, shape, time. Digest, jid and
 * leaf are the reader's next checks, with what he holds.
 *
 * Spec: spec/envelope.md#grants; vectors: spec/vectors/grants.json.
 */
import { err, MAX_GRANT_JOB, ok, parseJid, type Principal, type Result } from '@natrium/model';

import { encode, type Wire } from './encoding.js';
import { MAX_COUNT } from './merkle.js';
import {
  bin,
  fields,
  int,
  listOf,
  MAX_CHAIN,
  MAX_TIME,
  principal,
  refuse,
  shaped,
  shapedValue,
  text,
  time,
} from './shape.js';
import { type Cluster, type Signed, signed, type SignedWhat, signerAmong, type SigningKey } from './signing.js';

export type GrantKind = 'job' | 'run';

export interface Grant {
  readonly kind: GrantKind;
  /** 16 random bytes. */
  readonly id: Uint8Array;
  readonly requestDigest: Uint8Array;
  readonly caller: Principal;
  /** Who asked for what the caller now asks, the first asker last. */
  readonly onBehalfOf: readonly Principal[];
  readonly jid: string;
  /** Merkle root and number of the minions' leaves; 32 zeros and 0 in a grant-run. */
  readonly root: Uint8Array;
  readonly count: number;
  /** ms since 1970. */
  readonly issued: number;
  readonly expires: number;
  /** 32 bytes. */
  readonly policyRevision: Uint8Array;
  readonly auditChain: string;
  readonly auditNumber: number;
}

export type GrantProblem = 'signature' | 'shape' | 'expired' | 'future';

const MAX_ON_BEHALF = 16;
const WHAT: Readonly<Record<GrantKind, SignedWhat>> = { job: 'grant-job', run: 'grant-run' };

/** @throws {RangeError} When a field is out of bounds, or a grant-job would live longer than a minute. */
export function signGrant(acl: SigningKey, cluster: Cluster, grant: Grant): Signed {
  const wire = [
    grant.id,
    grant.requestDigest,
    [grant.caller.kind, grant.caller.name],
    grant.onBehalfOf.map(({ kind, name }) => [kind, name]),
    grant.jid,
    grant.root,
    grant.count,
    grant.issued,
    grant.expires,
    grant.policyRevision,
    grant.auditChain,
    grant.auditNumber,
  ];
  if (shapedValue(wire, readShape(grant.kind)) === undefined) {
    throw new RangeError('not a grant: a field is out of bounds');
  }
  return signed(acl, WHAT[grant.kind], cluster, encode(wire));
}

/** What an acl-service has signed, whatever the time is: whoever acts on it also asks `inTime`, or takes `readGrant` for both. */
export function verifyGrant(
  object: Signed,
  cluster: Cluster,
  aclKeys: readonly Uint8Array[],
  kind: GrantKind,
): Result<Grant, 'signature' | 'shape'> {
  if (signerAmong(aclKeys, WHAT[kind], cluster, object) === undefined) return err('signature');
  const grant = shaped(object.bytes, readShape(kind));
  return grant === undefined ? err('shape') : ok(grant);
}

/** @param skewMs How far `issued` may lie ahead of `now`; expiry has no such leeway. */
export function inTime(grant: Grant, now: number, skewMs: number): Result<Grant, 'future' | 'expired'> {
  if (grant.issued > now + skewMs) return err('future');
  return now > grant.expires ? err('expired') : ok(grant);
}

/** A grant that counts now. */
// eslint-disable-next-line max-params -- each is one fact of the check, and all are the reader's
export function readGrant(
  object: Signed,
  cluster: Cluster,
  aclKeys: readonly Uint8Array[],
  kind: GrantKind,
  now: number,
  skewMs: number,
): Result<Grant, GrantProblem> {
  const verified = verifyGrant(object, cluster, aclKeys, kind);
  return verified.ok ? inTime(verified.value, now, skewMs) : verified;
}

/**
 * What a grant says, without its signature being checked: for the gateway, which has it sealed from the acl-service itself and
 * only asks whether it is for this request and job. Whoever acts on a grant uses `readGrant`.
 */
export function grantIn(bytes: Uint8Array, kind: GrantKind): Grant | undefined {
  return shaped(bytes, readShape(kind));
}

function readShape(kind: GrantKind): (wire: Wire) => Grant {
  return (wire) => {
    const [id, digest, caller, onBehalfOf, jid, root, count, issued, expires, revision, chain, number] = fields(
      wire,
      12,
    );
    const grant = {
      kind,
      id: bin(id, 16),
      requestDigest: bin(digest, 32),
      caller: principal(caller),
      onBehalfOf: listOf(onBehalfOf, MAX_ON_BEHALF, principal),
      jid: parseJid(jid) ?? refuse(),
      root: bin(root, 32),
      count: int(count, kind === 'job' ? 1 : 0, kind === 'job' ? MAX_COUNT : 0),
      issued: time(issued),
      expires: time(expires),
      policyRevision: bin(revision, 32),
      auditChain: text(chain, MAX_CHAIN),
      auditNumber: int(number, 0, MAX_TIME),
    };
    return hasRightLife(grant) && (kind === 'job' || isZero(grant.root)) ? grant : refuse();
  };
}

/** The root of a grant-run, which names no minion. */
function isZero(root: Uint8Array): boolean {
  return root.every((byte) => byte === 0);
}

function hasRightLife({ kind, issued, expires }: Grant): boolean {
  return expires > issued && (kind === 'run' || expires - issued <= MAX_GRANT_JOB);
}
