/** Rules of making the broker's keys: all of them or none. What they are good for: tests/broker. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { BrokerKeys } from './broker-keys.js';

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
