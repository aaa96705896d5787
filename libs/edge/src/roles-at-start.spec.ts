/** An acl-service begins under a roles document that counts, and says of one that has ended what to do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { pino } from 'pino';
import { refuseEnded, rolesAtStart } from './roles-at-start.js';

const NOW = 1_795_000_000_000;

it('refuses a document that has ended, by its file, its end and the command that renews it; until then it does not', async () => {
  await sodiumReady();
  const folder = mkdtempSync(join(tmpdir(), 'nt-roles-'));
  try {
    const keys = new MasterKeys(join(folder, 'pki'));
    keys.create(NOW);
    const roles = rolesAtStart(keys, join(folder, 'seen'), pino({ enabled: false }));
    const { notAfter } = roles.document;
    expect(() => {
      refuseEnded(roles, keys, notAfter);
    }).not.toThrow();
    expect(() => {
      refuseEnded(roles, keys, notAfter + 1);
    }).toThrow(
      `${keys.rolesPath}: the roles document 1 ended at ${new Date(notAfter).toISOString()}, and it is ${new Date(notAfter + 1).toISOString()}: nothing that a service says counts any more; on the master, with the root key: natriumctl roles renew`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
