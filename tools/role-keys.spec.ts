import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { inRoot } from './programs.mjs';
import { handOut } from './role-keys.mjs';

let dir: string;
let pki: string;
beforeAll(async () => {
  await sodiumReady();
  dir = mkdtempSync(join(tmpdir(), 'natrium-role-keys-'));
  pki = join(dir, 'pki');
  new MasterKeys(pki).create(Date.now());
  await new BrokerKeys(join(pki, 'broker')).create('main');
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replace(/\d+[^/]*\.key$/, 'N.key'))
    .sort();
}

function handed(role: string): readonly string[] {
  handOut(pki, role, join(dir, role));
  return filesIn(join(dir, role));
}

describe('what a role is handed', () => {
  it('is, for the gateway, its key, its user of the broker and its storage keys', () => {
    expect(handed('gateway')).toEqual([
      'broker/users/gateway.creds',
      'roles',
      'roles.d/gateway.key',
      expect.stringMatching(/^storage\/events\//),
      expect.stringMatching(/^storage\/jobs\//),
      expect.stringMatching(/^storage\/roster\//),
    ]);
  });

  it.each(['acl', 'gateway', 'runner', 'sink'])(
    'is never, for %s, the root key, an account or another role',
    (role) => {
      const files = handed(role).join('\n');
      expect(files).not.toMatch(/root\.key|^account\.key|offline|accounts\//m);
      const roles = [...files.matchAll(/roles\.d\/(\w+)\.key/g)].map(([, name]) => name);
      expect(roles).toEqual(role === 'runner' ? ['reactor', 'runner'] : [role]);
    },
  );

  it('is, for the account alone, its key, and what looks at the broker for doctor and audit verify', () => {
    expect(handed('cli')).toEqual([
      'account.key',
      'broker/join.creds',
      'broker/knock.creds',
      'broker/users/auditor.creds',
      'broker/users/doctor.creds',
      'first-account.pub',
      'roles',
    ]);
  });

  it('is private to its owner', () => {
    handed('gateway');
    expect(statSync(join(dir, 'gateway/roles.d/gateway.key')).mode & 0o077).toBe(0);
  });

  it('follows a rotation: new storage keys come, deleted ones go', () => {
    const folder = join(pki, 'storage/jobs');
    handed('gateway');
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    writeFileSync(join(folder, '2.key'), 'new');
    handed('gateway');
    expect(readdirSync(join(dir, 'gateway/storage/jobs'))).toEqual(['2.key']);
  });

  it('leaves what is there already as it is, so that no service finds a key gone for a moment, and replaces what has changed', () => {
    const [key, roles] = [join(dir, 'gateway/roles.d/gateway.key'), join(dir, 'gateway/roles')];
    handed('gateway');
    const before = [statSync(key), statSync(roles)].map(({ ino, ctimeMs }) => [ino, ctimeMs]);
    handed('gateway');
    expect([statSync(key), statSync(roles)].map(({ ino, ctimeMs }) => [ino, ctimeMs])).toEqual(before);
    writeFileSync(key, 'other');
    const all = filesIn(join(dir, 'gateway'));
    handed('gateway');
    expect(readFileSync(key)).toEqual(readFileSync(join(pki, 'roles.d/gateway.key')));
    expect(filesIn(join(dir, 'gateway'))).toEqual(all);
  });

  it('is handed out also through a link to the folder of the program, as an upgrade makes it', () => {
    const [link, target] = [join(dir, 'natrium'), join(dir, 'linked')];
    symlinkSync(inRoot('.'), link);
    const words = [join(link, 'tools/role-keys.mjs'), pki, 'gateway', target];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect({ status, stderr, files: filesIn(target) }).toEqual({ status: 0, stderr: '', files: handed('gateway') });
  });

  it('is nothing for a role that does not exist', () => {
    expect(() => {
      handOut(pki, 'king', join(dir, 'king'));
    }).toThrow('no role "king"');
  });
});
