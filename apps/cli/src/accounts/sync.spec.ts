/** What `natriumctl accounts sync` refuses, and where it cannot write. What it does: tests/system/accounts.spec.ts. */
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compilePolicy } from '@natrium/acl';
import { loadMasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { lockFolder } from '@natrium/keystore';
import { ok, type Value } from '@natrium/model';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ONE_SYNC, runAccountsSync, Sync } from './sync.js';

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

describe('where keys cannot be written', () => {
  const isRoot = process.geteuid?.() === 0;
  const NOBODY = 65_534;
  const accounts = () => join(folder, 'pki', 'accounts');
  beforeAll(sodiumReady);
  beforeEach(() => {
    mkdirSync(join(folder, 'pki'));
    writeFileSync(join(folder, 'master'), `pki_dir: ${join(folder, 'pki')}\npublisher_acl: {daemon: [test.ping]}\n`);
  });

  async function synced() {
    const loaded = loadMasterConfig(folder);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
    const { config } = loaded.value;
    const asked: string[] = [];
    const client = {
      admin: (_: string, fun: string) =>
        Promise.resolve(ok<Value>((asked.push(fun), fun === 'account.list' ? [] : {}))),
    };
    const io = new ScriptedIo();
    const options = { configDir: folder, dryRun: false, replace: false, removeMissing: false };
    const exit = await new Sync(options, io, { client, config, policy: compilePolicy(config).policy }).run();
    return { exit, said: io.stderr, asked };
  }

  it.each<[string, () => void]>([
    ['is another’s', () => isRoot && chownSync(accounts(), NOBODY, NOBODY)],
    ['others may write to', () => chmodSync(accounts(), 0o777)],
  ])('a folder of keys that %s is 1 with what to do, and nobody gets a key', async (_about, change) => {
    mkdirSync(accounts());
    change();
    const { exit, said, asked } = await synced();
    expect(said).toMatch(`natriumctl accounts: ${accounts()} has to be a folder of root's`);
    expect(said).toMatch(`chown root: ${accounts()} && chmod 711 ${accounts()}`);
    expect([exit, asked]).toEqual([1, ['account.list']]);
    expect(existsSync(join(folder, 'client'))).toBe(false);
  });

  it('of two at once the second is 1 and asks nothing: each would give an account a key of its own, and one of them counts', async () => {
    const lock = await lockFolder(join(folder, 'pki'), ONE_SYNC);
    const { exit, said, asked } = await synced();
    lock.release();
    expect([exit, asked, existsSync(accounts())]).toEqual([1, [], false]);
    expect(said).toMatch(
      /^natriumctl accounts: \S+\/pki is in use by another natriumctl accounts sync \(process \d+\); /,
    );
  });

  it('one that is no folder is 1, and named', async () => {
    writeFileSync(accounts(), '');
    const { exit, said, asked } = await synced();
    expect([exit, asked]).toEqual([1, ['account.list']]);
    expect(said).toMatch(`natriumctl accounts: ${accounts()} cannot be written (E`);
  });

  // To who is not root the folder is another's: then nobody has a turn.
  it('an account whose key cannot be written is 1 with what to do, and others have their turn', async () => {
    writeFileSync(
      join(folder, 'master'),
      `pki_dir: ${join(folder, 'pki')}\npublisher_acl: {bin: [test.ping], daemon: [test.ping]}\n`,
    );
    mkdirSync(join(accounts(), 'bin.key', 'in-the-way'), { recursive: true });
    const { exit, said, asked } = await synced();
    expect([exit, asked]).toEqual([1, ['account.list', ...(isRoot ? ['account.enrol'] : [])]]);
    const isNot = `bin: is not done: ${join(accounts(), 'bin.key')} cannot be written (E`;
    expect(said).toMatch(isRoot ? isNot : `${accounts()} has to be a folder of root's`);
    expect(existsSync(join(accounts(), 'daemon.key'))).toBe(isRoot);
  });
});
