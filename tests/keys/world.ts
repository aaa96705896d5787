/** A cluster of real processes whose epochs are short, with one account's session in the test itself. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenMaster, openMaster } from '../../apps/cli/src/link/open-master.js';
import { type UpCluster, upCluster } from '../support/up-cluster.js';

export const MINIONS = ['a', 'b', 'c'] as const;

export interface KeysWorld {
  readonly cluster: UpCluster;
  readonly master: OpenMaster;
  stop(): Promise<void>;
}

export interface Settings {
  /** Further lines of the master file. */
  readonly master?: string;
  /** Where the broker asks nobody, what holds is the envelope's own. */
  readonly brokerAuth?: 'none';
  /** Further lines of every minion's file. */
  readonly minion?: string;
}

export async function keysWorld({ master = '', minion = '', ...broker }: Settings): Promise<KeysWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'nt-keys-'));
  for (const id of MINIONS) {
    const place = join(folder, 'minions', id, 'minion.d');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'test.conf'), minion);
  }
  const masterConfig = `peer: {'.*': ['.*']}\n${master}`;
  const cluster = await upCluster({ minions: MINIONS, masterConfig, folder, ...broker });
  const opened = await openMaster(cluster.master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  return {
    cluster,
    master: opened.value,
    stop: async () => {
      await opened.value.transport.drain();
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function ask(tgt: string | readonly string[], fun: string, ...args: readonly string[]) {
  return {
    tgt, tgtType: 'list', funs: [fun], args: [args], timeout: 20, returner: '', returnerOptions: {}, options: {},
  }; // prettier-ignore
}
