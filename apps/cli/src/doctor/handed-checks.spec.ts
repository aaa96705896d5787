/** What doctor says of the storage keys that the services of this host were handed. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { checkHanded } from './handed-checks.js';

const BEGUN = Date.parse('2026-11-30T00:00:00Z');
const HOUR_MS = 3_600_000;

let folder: string;
let keys: MasterKeys;
const at = (...names: readonly string[]) => join(folder, ...names);
const said = (nowMs: number) => checkHanded(at('natrium'), { pki_dir: at('natrium', 'pki') }, nowMs);

beforeAll(() => sodiumReady());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-handed-'));
  mkdirSync(at('natrium'));
  keys = new MasterKeys(at('natrium', 'pki'));
  keys.create(BEGUN);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** As tools/role-keys.mjs does it. */
function give(role: string, ...classes: readonly string[]): void {
  for (const name of classes) {
    const [from, to] = [at('natrium', 'pki'), at(`natrium-${role}`, 'pki')].map((pki) => join(pki, 'storage', name));
    cpSync(from ?? '', to ?? '', { recursive: true });
  }
}

it('says nothing where the services have no folders of their own', () => {
  expect(said(BEGUN)).toEqual([]);
});

it('names the service that was not handed a key, from the moment on at which it seals, and is content when it has it', () => {
  give('acl', 'roster', 'audit');
  give('gateway', 'jobs', 'roster');
  keys.storageKeys('roster').add(BEGUN + HOUR_MS);
  keys.storageKeys('audit').add(BEGUN + HOUR_MS);
  const fine = [expect.objectContaining({ check: 'handed out', level: 'ok' })];
  expect(said(BEGUN)).toEqual(fine);
  give('gateway', 'roster');
  const [pki, target] = [at('natrium', 'pki'), at('natrium-acl', 'pki')];
  const what = `${target} lacks storage keys of audit, roster that seal already: what is stored with them its service cannot open`;
  const mend = `node tools/role-keys.mjs ${pki} acl ${target}`;
  expect(said(BEGUN + 2 * HOUR_MS)).toEqual([{ check: 'handed out', level: 'problem', what, mend }]);
  give('acl', 'roster', 'audit');
  expect(said(BEGUN + 2 * HOUR_MS)).toEqual(fine);
});
