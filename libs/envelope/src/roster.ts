/**
 * The roster's records: who exists, under which keys, and whether accepted. Only the acl role signs them.
 *
 * Spec: spec/envelope.md#roster.
 */
import { err, ok, type Result } from '@natrium/model';

import { encode, type Wire } from './encoding.js';
import { bin, fields, int, MAX_NAME, MAX_TIME, oneOf, shaped, text } from './shape.js';
import { type Cluster, type Signed, signed, signerAmong, type SigningKey } from './signing.js';

const ROSTER_KINDS = ['minion', 'account'] as const;
export type RosterKind = (typeof ROSTER_KINDS)[number];
const ROSTER_STATES = ['pending', 'accepted', 'rejected', 'denied', 'deleted'] as const;
export type RosterState = (typeof ROSTER_STATES)[number];

export interface RosterRecord {
  readonly kind: RosterKind;
  readonly name: string;
  /** Public keys, 32 bytes each. */
  readonly identity: Uint8Array;
  readonly nkey: Uint8Array;
  readonly state: RosterState;
  /** Rises with each change of the record. */
  readonly revision: number;
}

export type RosterProblem = 'signature' | 'shape';

export function signRoster(acl: SigningKey, cluster: Cluster, record: RosterRecord): Signed {
  const { kind, name, identity, nkey, state, revision } = record;
  const bytes = encode([kind, name, identity, nkey, state, revision]);
  if (shaped(bytes, readRecord) === undefined) throw new RangeError('not a roster record');
  return signed(acl, 'roster', cluster, bytes);
}

/** Whoever keeps records also keeps the highest revision that they had: a lower one is an old record put back. */
export function readRoster(
  object: Signed,
  cluster: Cluster,
  aclKeys: readonly Uint8Array[],
): Result<RosterRecord, RosterProblem> {
  if (signerAmong(aclKeys, 'roster', cluster, object) === undefined) return err('signature');
  const record = shaped(object.bytes, readRecord);
  return record === undefined ? err('shape') : ok(record);
}

function readRecord(wire: Wire): RosterRecord {
  const [kind, name, identity, nkey, state, revision] = fields(wire, 6);
  return {
    kind: oneOf(kind, ROSTER_KINDS),
    name: text(name, MAX_NAME),
    identity: bin(identity, 32),
    nkey: bin(nkey, 32),
    state: oneOf(state, ROSTER_STATES),
    revision: int(revision, 1, MAX_TIME),
  };
}
