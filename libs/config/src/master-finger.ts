/** The fingerprint that a minion pins: 32 pairs of hex digits, a hash of the cluster's root key. */
import { err, ok, type Result } from '@natrium/model';
import type { Fault } from './problem.js';

const MEND = 'run natriumctl fingerprint (or natrium-key -F) on the master and copy the 32 pairs of the root key';

/** @returns The fingerprint in lower case, empty when none is given. */
export function checkMasterFinger(text: string): Result<string, Fault> {
  const finger = text.trim().toLowerCase();
  if (finger === '' || isPairs(finger, 32)) return ok(finger);
  if (isPairs(finger, 16)) return err({ reason: "this is an MD5 fingerprint of a Salt master's RSA key", mend: MEND });
  if (/^-----begin/.test(finger)) return err({ reason: 'this is a key, not a fingerprint', mend: MEND });
  return err({ reason: 'a fingerprint is 32 pairs of hex digits with colons between them', mend: MEND });
}

function isPairs(text: string, count: number): boolean {
  return text.length === count * 3 - 1 && /^[0-9a-f]{2}(?::[0-9a-f]{2})*$/.test(text);
}
