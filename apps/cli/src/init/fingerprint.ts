/** `natriumctl fingerprint`: what minions pin as `master_finger`. */
import { fingerprint } from '@natrium/envelope';
import { EXIT } from '../common/exit-codes.js';
import { withMasterFolder } from '../keys/master-folder.js';
import type { FingerprintOptions, Io } from '../ports.js';

export function runFingerprint({ configDir }: FingerprintOptions, io: Io): Promise<number> {
  return withMasterFolder(configDir, io, ({ keys }) => {
    io.out(`${fingerprint(keys.chain()[0])}\n`);
    return EXIT.ok;
  });
}
