/** `natriumctl fingerprint`: what minions pin as `master_finger`. */
import { loadMasterConfig, problemSentence } from '@natrium/config';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { EXIT } from '../common/exit-codes.js';
import type { FingerprintOptions, Io } from '../ports.js';

export async function runFingerprint({ configDir }: FingerprintOptions, io: Io): Promise<number> {
  await sodiumReady();
  const loaded = loadMasterConfig(configDir);
  if (!loaded.ok) {
    for (const problem of loaded.error) io.err(`${problemSentence(problem)}\n`);
    return EXIT.badConfig;
  }
  const keys = new MasterKeys(loaded.value.config.pki_dir);
  if (!keys.exists) {
    io.err(`natriumctl: error: there is no cluster in ${keys.folder}; natriumctl init founds one\n`);
    return EXIT.badConfig;
  }
  io.out(`${fingerprint(keys.chain()[0])}\n`);
  return 0;
}
