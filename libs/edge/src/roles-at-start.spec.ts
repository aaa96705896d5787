/** An acl-service begins under a roles document that counts, and says of one that has ended what to do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys, RolesChanges } from '@natrium/keystore';
import { pino } from 'pino';
import { refuseEnded, refuseUnknownKey, rolesAtStart } from './roles-at-start.js';

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

it('refuses a key that the newest document does not name, by its file and the serial; beside its successor it counts until it is retired', async () => {
  await sodiumReady();
  const folder = mkdtempSync(join(tmpdir(), 'nt-roles-'));
  try {
    const keys = new MasterKeys(join(folder, 'pki'));
    keys.create(NOW);
    const changes = new RolesChanges(keys);
    const old = keys.roleKey('acl').publicKey;
    const begin = (key: Uint8Array) => () => {
      refuseUnknownKey('acl', key, rolesAtStart(keys, join(folder, 'seen'), pino({ enabled: false })), keys);
    };
    expect(begin(old)).not.toThrow();
    changes.newKey('acl', NOW);
    expect(begin(old)).not.toThrow();
    expect(begin(keys.roleKey('acl').publicKey)).not.toThrow();
    changes.retire('acl', NOW);
    expect(begin(keys.roleKey('acl').publicKey)).not.toThrow();
    const said = `${keys.rolePath('acl')}: the roles document 3 does not name this key: nobody would hear this service; put the key and the document of the master's pki folder there (tools/role-keys.mjs)`;
    expect(begin(old)).toThrow(said);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
