/**
 * The signature of a grant's very bytes is checked once for all minions of this process, as their figures have to say. All else
 * that a minion checks (time, digest, its own place under the root, run-once) it checks for itself.
 */
import { equalBytes, type Grant, readGrant, toHex } from '@natrium/envelope';
import { err, ok } from '@natrium/model';

const REMEMBERED = 64;

interface Verified {
  readonly bytes: Uint8Array;
  readonly grant: Grant;
}

export function readingOnce(): typeof readGrant {
  const verified = new Map<string, Verified>();
  // eslint-disable-next-line max-params -- as `readGrant`, in whose place it stands
  return (object, cluster, aclKeys, kind, now, skewMs) => {
    const name = [kind, toHex(object.signature), ...aclKeys.map(toHex)].join(' ');
    const known = verified.get(name);
    if (known !== undefined && equalBytes(known.bytes, object.bytes)) {
      if (known.grant.issued > now + skewMs) return err('future');
      return now > known.grant.expires ? err('expired') : ok(known.grant);
    }
    const read = readGrant(object, cluster, aclKeys, kind, now, skewMs);
    if (read.ok) {
      verified.set(name, { bytes: object.bytes, grant: read.value });
      for (const oldest of verified.keys()) {
        if (verified.size <= REMEMBERED) break;
        verified.delete(oldest);
      }
    }
    return read;
  };
}
