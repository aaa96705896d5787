/** The folder of keys that a configuration names, for what the operator does on the master itself. */
import { loadMasterConfig, type MasterConfig, problemSentence } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { diskTrouble, KeyfileCorrupt, MasterKeys } from '@natrium/keystore';
import { messageOf } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { notConnected, say } from '../common/refused.js';
import { NoBroker } from '../link/why-not.js';
import type { Io } from '../ports.js';
import { noCluster } from './no-cluster.js';

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
  if (!keys.exists) return notConnected({ ...noCluster(keys), exit: EXIT.badConfig }, io);
  try {
    return await work({ config, keys });
  } catch (error) {
    if (error instanceof NoBroker) return notConnected(error.problem, io);
    say(troubleOf(error), io);
    return error instanceof KeyfileCorrupt ? EXIT.badConfig : EXIT.failed;
  }
}

/** The system's words for a file that is open already name none. */
export function troubleOf(error: unknown): string {
  const said = messageOf(error);
  const path = pathOf(error);
  return path !== undefined && !said.includes(path) ? diskTrouble(path, error) : said;
}

export function pathOf(error: unknown): string | undefined {
  const path = typeof error === 'object' && error !== null && 'path' in error ? error.path : undefined;
  return typeof path === 'string' ? path : undefined;
}
