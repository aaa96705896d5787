/** The folder of keys that a configuration names, for what the operator does on the master itself. */
import { loadMasterConfig, type MasterConfig, problemSentence } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { messageOf } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { say } from '../common/refused.js';
import type { Io } from '../ports.js';

export interface MasterFolder {
  readonly config: MasterConfig;
  readonly keys: MasterKeys;
}

/** Carries out `work`, and says what is wrong with the configuration, the folder or a key in it. @returns The exit code. */
export async function withMasterFolder(
  configDir: string,
  io: Io,
  work: (folder: MasterFolder) => Promise<number> | number,
): Promise<number> {
  await sodiumReady();
  const loaded = loadMasterConfig(configDir);
  if (!loaded.ok) {
    say(loaded.error.map(problemSentence).join('\n'), io);
    return EXIT.badConfig;
  }
  const { config } = loaded.value;
  const keys = new MasterKeys(config.pki_dir);
  if (!keys.exists) {
    say(`there is no cluster in ${keys.folder}; natriumctl init founds one`, io);
    return EXIT.badConfig;
  }
  try {
    return await work({ config, keys });
  } catch (error) {
    say(messageOf(error), io);
    return EXIT.failed;
  }
}
