/** What `natriumctl accounts sync` refuses before it speaks to anybody. What it does: tests/system/accounts.spec.ts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runAccountsSync } from './sync.js';

let folder: string;
const ownId = process.geteuid;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-sync-'));
});
afterEach(() => {
  if (ownId !== undefined) process.geteuid = ownId;
  rmSync(folder, { recursive: true });
});

async function sync(uid: number, master: string) {
  process.geteuid = () => uid;
  writeFileSync(join(folder, 'master'), master);
  const io = new ScriptedIo();
  const exit = await runAccountsSync({ configDir: folder, dryRun: false, replace: false, removeMissing: false }, io);
  return { exit, err: io.stderr };
}

it.each([
  ['that does not parse', 'user: [\n'],
  ['with an unknown key', 'usre: joe\n'],
  ['with a rule that makes no sense', 'publisher_acl: {joe: [{7: 8}]}\n'],
])('a master file %s is a configuration that cannot be used: 78, and the file is named', async (_, master) => {
  const { exit, err } = await sync(0, master);
  expect(exit).toBe(78);
  expect(err).toContain(`natriumctl accounts: ${folder}/master`);
});

it('whoever is not root is told so, with 77', async () => {
  expect(await sync(1000, 'user: [\n')).toMatchObject({
    exit: 77,
    err: expect.stringContaining('run it as root') as string,
  });
});
