/**
 * What a minion tells of itself: its grains as one document with a rising number, signed by its identity.
 *
 * Spec: spec/envelope.md#data.
 */
import { err, ok, type Result } from '@natrium/model';

import { encode, type Wire } from './encoding.js';
import { fields, int, MAX_TIME, refuse, shaped } from './shape.js';
import { type Cluster, type Signed, signed, type SigningKey, verify } from './signing.js';

export interface MinionData {
  readonly number: number;
  readonly grains: Wire;
}

export type DataProblem = 'signature' | 'shape' | 'number';

export function signData(identity: SigningKey, cluster: Cluster, data: MinionData): Signed {
  return signed(identity, 'data', cluster, encode([data.number, data.grains]));
}

/** @param minNumber The highest number seen of this minion: a lower one is an old document put back. */
export function readData(
  object: Signed,
  cluster: Cluster,
  identityKey: Uint8Array,
  minNumber: number,
): Result<MinionData, DataProblem> {
  if (!verify('data', cluster, identityKey, object.bytes, object.signature)) return err('signature');
  const data = shaped(object.bytes, (wire) => {
    const [number, grains] = fields(wire, 2);
    return { number: int(number, 0, MAX_TIME), grains: grains ?? refuse() };
  });
  if (data === undefined) return err('shape');
  return data.number < minNumber ? err('number') : ok(data);
}
