/**
 * The signature of a grant's very bytes is checked once for all minions of this process, as their figures have to say. All else
 * that a minion checks (time, digest, its own place under the root, run-once) it checks for itself.
 */
import { equalBytes, toHex, verifyGrant } from '@natrium/envelope';
import { keepLatest } from '@natrium/model';

const REMEMBERED = 64;

interface Verified {
  readonly bytes: Uint8Array;
  readonly result: ReturnType<typeof verifyGrant>;
}

export function verifyingOnce(): typeof verifyGrant {
  const verified = new Map<string, Verified>();
  return (object, cluster, aclKeys, kind) => {
    const name = [kind, toHex(object.signature), ...aclKeys.map(toHex)].join(' ');
    const known = verified.get(name);
    if (known !== undefined && equalBytes(known.bytes, object.bytes)) return known.result;
    const result = verifyGrant(object, cluster, aclKeys, kind);
    if (result.ok) {
      verified.set(name, { bytes: object.bytes, result });
      keepLatest(verified, REMEMBERED);
    }
    return result;
  };
}
