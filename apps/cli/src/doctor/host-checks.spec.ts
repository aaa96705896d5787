/** What doctor says of this host's files. On a real cluster: tests/broker/doctor.spec.ts. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig } from '@natrium/config';
import { checkPolicy, checkSecrets } from './host-checks.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-host-checks-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it.each([
  ['a reaction that never runs', "reactor: [{'a/*': [{hello: {runner.a.b: []}}]}]\n", 'warning', '0 problems and 1 warnings'],
  ['one that no minion can set off', "reactor: [{'salt/job/*/new': [{hello: {runner.a.b: []}}]}]\nreactor_grants: {hello$: ['@runner']}\n", 'ok', 'no problems'],
  ['a reaction that is none', 'reactor: [7]\n', 'problem', '1 problems and 0 warnings'],
])('counts the findings of natriumctl acl lint, also those of the reactor: %s', (_, text, level, what) => {
  writeFileSync(join(folder, 'master'), text);
  const said = expect.stringContaining(what) as string;
  expect(checkPolicy(folder)).toEqual([expect.objectContaining({ check: 'policy', level, what: said })]);
}); // prettier-ignore

/** The keys that are told of, with the file of each. */
function told(): readonly string[] {
  const loaded = loadMasterConfig(folder);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return checkSecrets(loaded.value).map(({ check, level, what }) => `${level} ${check} ${what.split(',')[0] ?? ''}`);
}

it.each([
  ['sharedsecret', 'sharedsecret: canary-canary\n'],
  ['auth.ldap.bindpw', 'auth.ldap.bindpw: canary-canary\n'],
])('warns of %s where others than its owner may read it, and never shows it', (key, text) => {
  const file = join(folder, 'master.d', 'secrets.conf');
  mkdirSync(join(folder, 'master.d'));
  writeFileSync(join(folder, 'master'), 'peer: {}\n', { mode: 0o644 });
  writeFileSync(file, text);
  for (const [mode, expected] of [[0o600, []], [0o640, [`warning secrets ${key} stands in ${file}`]], [0o604, [`warning secrets ${key} stands in ${file}`]]] as const) {
    chmodSync(file, mode);
    expect(told()).toEqual(expected);
  }
}); // prettier-ignore

it.each(['', 'sharedsecret: ""\n', 'auth.ldap.binddn: cn=reader\n'])(
  'warns of no secret where none is set: %j',
  (text) => {
    writeFileSync(join(folder, 'master'), text, { mode: 0o644 });
    expect(told()).toEqual([]);
  },
);
