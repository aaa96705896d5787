/**
 * The time, as only the acl role tells it: signed over the nonce of the one who asks, so an old answer is no answer.
 *
 * Spec: spec/envelope.md#time.
 */
import { err, ok, type Result } from '@natrium/model';

import { equalBytes } from './bytes.js';
import { encode } from './encoding.js';
import { blob, fields, shaped, time } from './shape.js';
import { type Cluster, type Signed, signed, signerAmong, type SigningKey } from './signing.js';

export type TimeProblem = 'signature' | 'shape' | 'nonce';

const NONCE_MIN = 16;
const NONCE_MAX = 64;

/** @param nonce 16 to 64 bytes of the asker. */
export function signTime(acl: SigningKey, cluster: Cluster, nonce: Uint8Array, nowMs: number): Signed {
  return signed(acl, 'time', cluster, encode([nonce, nowMs]));
}

/** @returns ms since 1970. */
export function readTime(
  object: Signed,
  cluster: Cluster,
  aclKeys: readonly Uint8Array[],
  nonce: Uint8Array,
): Result<number, TimeProblem> {
  if (signerAmong(aclKeys, 'time', cluster, object) === undefined) return err('signature');
  const told = shaped(object.bytes, (wire) => {
    const [over, at] = fields(wire, 2);
    return { over: blob(over, NONCE_MIN, NONCE_MAX), at: time(at) };
  });
  if (told === undefined) return err('shape');
  return equalBytes(told.over, nonce) ? ok(told.at) : err('nonce');
}
