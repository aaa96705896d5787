/** The policy of a master file, with these accepted minions and the pillar of each; undefined: they never sent data. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig } from '@natrium/config';
import type { ValueMap } from '@natrium/model';
import type { Inventory } from '../data/inventory.js';
import { Policy } from './policy.js';
import type { Roster } from '../roster/roster.js';

/** @throws {Error} When the file has problems. */
export function policyOf(masterFile: string, ids: readonly string[] = ['web1'], pillar?: ValueMap): Policy {
  const folder = mkdtempSync(join(tmpdir(), 'nt-policy-'));
  try {
    writeFileSync(join(folder, 'master'), masterFile);
    const loaded = loadMasterConfig(folder);
    if (!loaded.ok) throw new Error('the configuration has problems');
    const roster = { acceptedMinions: () => new Set(ids), keyOfMinion: () => new Uint8Array(32), revision: 1 };
    const inventory = { dataOf: () => pillar && { grains: {}, pillar }, revision: 1 };
    const read = Policy.read(loaded.value, roster as unknown as Roster, inventory as unknown as Inventory);
    if (!read.ok) throw new Error('the policy has problems');
    return read.value;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
