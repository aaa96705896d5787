/** Which key an account asks with, and what it is told where that is not there or damaged: what would mend it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostAccount } from '../accounts/own-identity.js';
import { runInit } from '../init/init.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { openMaster } from './open-master.js';

const ROOT: HostAccount = { uid: 0, name: 'root', sudoUser: undefined };
const OPERATOR: HostAccount = { uid: 1000, name: 'operator', sudoUser: undefined };
const FRED: HostAccount = { uid: 1001, name: 'fred', sudoUser: undefined };

let dir: string;
let key: string;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'nt-open-master-'));
  key = join(dir, 'pki', 'account.key');
  await runInit({ configDir: dir, brokerAuth: 'none', user: 'operator' }, new ScriptedIo());
  writeFileSync(join(dir, 'master'), 'broker_auth: none\nuser: operator\nnats: nats://127.0.0.1:1\n');
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const told = async (account: HostAccount) => {
  const opened = await openMaster(dir, { account });
  return opened.ok ? undefined : { exit: opened.error.exit, sentence: opened.error.sentence };
};

it.each([ROOT, OPERATOR])('$name, who has the first key, is not sent to a sync that makes none: it is in a backup', async (account) => {
  expect(await told(account)).toMatchObject({ exit: 69 }); // the broker's turn
  rmSync(key);
  expect(await told(account)).toEqual({
    exit: 77,
    sentence: `account ${account.name} has no key: ${key} is not there, which natriumctl init made with the cluster; bring it from that host or from a backup`,
  });
}); // prettier-ignore

it('anybody else without a key is sent to the sync that makes one', async () => {
  rmSync(key);
  expect(await told(FRED)).toEqual({
    exit: 77,
    sentence: `account fred has no key in ${join(dir, 'pki')}; natriumctl accounts sync makes them, as root`,
  });
});

it('a key that is damaged is no key that is missing: the files cannot be used', async () => {
  writeFileSync(key, 'junk\n');
  expect(await told(ROOT)).toEqual({
    exit: 78,
    sentence: `key file ${key} does not hold 64 hexadecimal digits; restore it from a backup of its folder`,
  });
});
