/** Rules of `tools/role-keys.mjs` as root runs it: what it writes belongs to the service's account, each time. */
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';

const ACCOUNT = 12_345;

let folder: string;
beforeAll(() => sodiumReady());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-role-keys-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function owners(path: string): ReadonlySet<string> {
  const found = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => lstatSync(join(path, name)));
  return new Set(found.map(({ uid, gid }) => `${String(uid)}:${String(gid)}`));
}

it('the files are of whom the folder around them is, also those that came later', async () => {
  const [pki, own] = [join(folder, 'pki'), join(folder, 'gateway')];
  new MasterKeys(pki).create(Date.now());
  mkdirSync(own);
  chownSync(own, ACCOUNT, ACCOUNT);
  const handOut = () =>
    runProgram(process.execPath, [inRoot('tools/role-keys.mjs'), pki, 'gateway', join(own, 'pki')], {
      timeoutMs: 60_000,
    });
  for (const time of ['the first', 'the second']) {
    expect([time, (await handOut()).code]).toEqual([time, 0]);
    expect(owners(own)).toEqual(new Set([`${String(ACCOUNT)}:${String(ACCOUNT)}`]));
    expect(lstatSync(join(own, 'pki/roles.d/gateway.key')).mode & 0o777).toBe(0o600);
    rmSync(join(own, 'pki', 'roles.d'), { recursive: true });
  }
  expect(owners(pki)).toEqual(new Set(['0:0']));
});
