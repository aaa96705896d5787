/** What is said of a folder of keys that is none of a cluster, by each way on which somebody comes to one. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { withMend } from '../common/refused.js';
import { runDoctor } from '../doctor/run-doctor.js';
import { openMaster } from '../link/open-master.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { withMasterFolder } from './master-folder.js';
import { noCluster } from './no-cluster.js';

const NOBODY = 65_534;

let dir: string;
beforeEach(async () => {
  await sodiumReady();
  dir = mkdtempSync(join(tmpdir(), 'nt-no-cluster-'));
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, 'pki'));
});
afterEach(() => {
  chmodSync(join(dir, 'pki'), 0o755);
  rmSync(dir, { recursive: true });
});

const ways: readonly (readonly [string, (io: ScriptedIo) => Promise<string>])[] = [
  [
    'natrium',
    async () => {
      const opened = await openMaster(dir);
      return opened.ok ? 'a cluster' : withMend(opened.error);
    },
  ],
  [
    'natriumctl roles',
    async (io) => {
      await withMasterFolder(dir, io, () => 0);
      return io.stderr;
    },
  ],
  [
    'natriumctl doctor',
    async (io) => {
      await runDoctor({ configDir: dir, json: false, all: false }, io);
      return io.stdout;
    },
  ],
];

it.each(ways)('%s tells where none is, how one is founded or found', async (_, said) => {
  const text = await said(new ScriptedIo());
  expect(text).toContain(`there is no cluster in ${join(dir, 'pki')}`);
  expect(text).toMatch(/natriumctl init founds one; .* with -c/);
});

it('an account that may not look is not told to found one', () => {
  const pki = join(dir, 'pki');
  writeFileSync(join(pki, 'roles'), '');
  chmodSync(pki, 0);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    expect(noCluster(new MasterKeys(pki))).toEqual({
      sentence: `this account may not look into ${pki}`,
      mend: 'run this as root or as its owner; natriumctl accounts sync, as root, lets other accounts in',
    });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
