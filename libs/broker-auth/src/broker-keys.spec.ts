/** Rules of making the broker's keys: all of them or none. What they are good for: tests/broker. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { KeyfileCorrupt, readCredentials } from '@natrium/keystore';
import { BrokerKeys, fixedName } from './broker-keys.js';

let pki: string;
let keys: BrokerKeys;
beforeAll(sodiumReady);
beforeEach(() => {
  pki = mkdtempSync(join(tmpdir(), 'nt-broker-keys-'));
  keys = new BrokerKeys(join(pki, 'broker'));
});
afterEach(() => {
  rmSync(pki, { recursive: true });
});

it('nothing stands in their place before all of them are made, and nothing stays beside it', async () => {
  const state = { isMade: false };
  const making = keys.create('main').then(() => {
    state.isMade = true;
  });
  const early: boolean[] = [];
  while (!state.isMade) {
    early.push(existsSync(keys.folder) && !existsSync(join(keys.folder, 'server.conf')));
    await new Promise(setImmediate);
  }
  await making;
  expect(early.includes(true)).toBe(false);
  expect([keys.exists, keys.missing, readdirSync(pki)]).toEqual([true, [], ['broker']]);
  expect(['', 'users'].map((name) => statSync(join(keys.folder, name)).mode & 0o777)).toEqual([0o711, 0o711]);
});

it('what an interrupted making left is made anew, and none of it is taken over', async () => {
  mkdirSync(join(pki, 'broker.new', 'offline'), { recursive: true });
  writeFileSync(join(pki, 'broker.new', 'offline', 'old.key'), '');
  await keys.create('main');
  expect(readdirSync(pki)).toEqual(['broker']);
  expect(readdirSync(keys.offlineFolder).toSorted()).toEqual(['account.key', 'operator.key', 'system.key']);
});

it('where some of it is, nothing is overwritten', async () => {
  mkdirSync(keys.folder);
  await expect(keys.create('main')).rejects.toThrow('nothing was changed');
  expect([readdirSync(pki), readdirSync(keys.folder)]).toEqual([['broker'], []]);
});

describe('the fixed users', () => {
  const scopes = ['gateway', 'acl', 'runner', 'reactor', 'sink', 'auditor', 'keeper', 'join', 'knock'] as const;
  const file = () => join(keys.folder, 'acl', 'fixed-users.json');
  const inCredentials = () => scopes.map((scope) => [scope, readCredentials(keys.credsPath(scope))?.key.name]);

  it('are known beside the scope keys, without their credentials, and called as these say', async () => {
    await keys.create('main');
    const all = inCredentials();
    expect([...keys.fixedUsers].sort()).toEqual(all.toSorted());
    for (const [scope, key] of keys.fixedUsers)
      expect(readCredentials(keys.credsPath(scope))?.name).toBe(fixedName(scope, key));
    for (const scope of scopes) rmSync(keys.credsPath(scope));
    expect([...keys.fixedUsers].sort()).toEqual(all.toSorted());
  });

  it('of an earlier version are known by the credentials that can be read, and by all of them after complete()', async () => {
    await keys.create('main');
    const all = inCredentials().toSorted();
    rmSync(file());
    writeFileSync(keys.credsPath('sink'), 'none');
    expect([...keys.fixedUsers.keys()]).not.toContain('sink');
    expect([...keys.fixedUsers.keys()]).toHaveLength(all.length - 1);
    expect(await keys.complete()).toEqual([]);
    expect(existsSync(file())).toBe(true);
    rmSync(keys.credsPath('join'));
    expect(keys.fixedUsers.get('join')).toBe(all.find(([scope]) => scope === 'join')?.[1]);
  });
});

it.each(['{', 'null', '[]', '{"gateway": 7}'])('a list of keys that is none is told by its file: %j', async (text) => {
  await keys.create('main');
  const reads = { 'scopes.json': () => keys.missing, 'fixed-users.json': () => keys.fixedUsers };
  for (const [name, read] of Object.entries(reads)) {
    const path = join(keys.folder, 'acl', name);
    writeFileSync(path, text);
    expect(read).toThrow(new KeyfileCorrupt(path, 'hold keys by name'));
  }
});

it('a file that is not there is told as missing, and one that cannot be read as the system says it', async () => {
  await keys.create('main');
  const [scopes, signing] = ['scopes.json', 'operator-signing.key'].map((name) => join(keys.folder, 'acl', name)) as [string, string];
  rmSync(signing);
  rmSync(scopes);
  expect(() => keys.operatorSigning).toThrow(new KeyfileCorrupt(signing, 'exist'));
  expect(() => keys.missing).toThrow(new KeyfileCorrupt(scopes, 'exist'));
  // Of root no file can be kept.
  mkdirSync(scopes);
  expect(() => keys.missing).toThrow('EISDIR');
}); // prettier-ignore
