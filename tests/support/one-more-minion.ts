/** The folder of a minion that `up` does not start: its configuration names the cluster that it joins. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import type { UpCluster } from './up-cluster.js';

/** @returns The folder, below `place`. */
export function oneMoreMinion({ master, brokerUrl }: UpCluster, place: string, id: string): string {
  const own = join(place, id);
  mkdirSync(own, { recursive: true });
  const pki = join(master, 'pki');
  const lines = [
    `id: ${id}`,
    `nats: ${brokerUrl}`,
    `master_finger: '${fingerprint(new MasterKeys(pki).chain()[0])}'`,
    `join_creds: ${join(pki, 'broker', 'join.creds')}`,
  ];
  writeFileSync(join(own, 'minion'), `${lines.join('\n')}\n`);
  return own;
}
