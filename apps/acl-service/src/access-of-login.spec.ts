/** Rules of what a login is told that it may do. */
import { loadMasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inventory } from './inventory.js';
import { Policy } from './policy.js';
import type { Roster } from './roster.js';

const FILE = `external_auth:
  file:
    ops%:
      - zz.*
      - web2: [test.ping]
      - web1: [test.ping]
    fred:
      - web1: [test.ping]
      - test.*
      - '@jobs'
      - zz.*
    '*':
      - sys.doc
`;

let folder: string;
let policy: Policy;

beforeAll(async () => {
  await sodiumReady();
  folder = mkdtempSync(join(tmpdir(), 'nt-access-'));
  writeFileSync(join(folder, 'master'), FILE);
  const loaded = loadMasterConfig(folder);
  if (!loaded.ok) throw new Error('the configuration has problems');
  const roster = { acceptedMinions: () => new Set(['web1']), keyOfMinion: () => undefined, revision: 1 };
  const read = Policy.read(loaded.value, roster as unknown as Roster, { revision: 1 } as unknown as Inventory);
  if (!read.ok) throw new Error('the policy has problems');
  policy = read.value;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const accessOf = (name: string, groups: readonly string[], backend = 'file') =>
  policy.accessOfLogin(name, { backend, groups });

it('a user’s own list and those of the groups, each entry once and sorted as Salt sorts them', () => {
  const perms = ['@jobs', 'test.*', 'zz.*', { web1: ['test.ping'] }, { web2: ['test.ping'] }];
  expect(accessOf('fred', ['ops'])).toEqual({ perms, seesJobs: true });
});

it('the list of * is told to those whom it is for, and to nobody who has one of his own', () => {
  expect(accessOf('zoe', [])).toEqual({ perms: ['sys.doc'], seesJobs: false });
  expect(accessOf('fred', []).perms).not.toContain('sys.doc');
});

it('who has nothing is told an empty map', () => {
  expect(accessOf('fred', ['ops'], 'ldap')).toEqual({ perms: {}, seesJobs: false });
});
