/** What doctor says of this host's files. On a real cluster: tests/broker/doctor.spec.ts. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import { loadMasterConfig } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys, RolesChanges } from '@natrium/keystore';
import { checkCertificates, checkConfigFiles, checkFiles, checkFounded, checkKeys, checkPolicy, checkSecrets } from './host-checks.js'; // prettier-ignore

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

function loaded() {
  const read = loadMasterConfig(folder);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

/** The keys that are told of, with the file of each. */
function told(): readonly string[] {
  return checkSecrets(loaded()).map(({ check, level, what }) => `${level} ${check} ${what.split(',')[0] ?? ''}`);
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

it('names the line of a cluster that is called otherwise than its keys, where the broker asks for them', async () => {
  await sodiumReady();
  const master = join(folder, 'master');
  const said = (text: string) => {
    writeFileSync(master, text);
    return checkFounded(loaded());
  };
  expect(said('broker_auth: jwt\ncluster: north\n')).toEqual([]); // it has none yet
  await new BrokerKeys(join(folder, 'pki', 'broker')).create('main');
  expect(said('broker_auth: jwt\ncluster: main\n')).toEqual([]);
  expect(said('broker_auth: none\ncluster: north\n')).toEqual([]);
  const what = `${master}:2: cluster: the keys of this cluster are of main, and not of north`;
  const mend = 'set cluster: main; its name stays what it was when it was founded';
  const expected = { check: 'cluster', level: 'problem', what, mend };
  expect(said('broker_auth: jwt\ncluster: north\n')).toEqual([expected]);
});

it('names the command that renews the roles document, and those for a key that is old', async () => {
  await sodiumReady();
  writeFileSync(join(folder, 'master'), '');
  const { config } = loaded();
  const begun = Date.now();
  new MasterKeys(config.pki_dir).create(begun);
  const mends = (days: number) =>
    checkKeys(config, begun + days * 86_400_000).flatMap(({ check, level, mend }) =>
      level === 'ok' ? [] : [[check, level, mend]],
    );
  const renew = 'natriumctl roles renew, with the root key';
  expect(mends(1)).toEqual([]);
  expect(mends(700)).toContainEqual(['roles', 'warning', renew]);
  expect(mends(725)).toContainEqual(['roles', 'problem', renew]);
  const after = mends(800);
  expect(after).toContainEqual(['roles', 'problem', renew]);
  const replace = 'natriumctl roles new-key makes the next one of its role, and roles retire ends this one';
  expect(after.filter(([check, , mend]) => check === 'key ages' && mend === replace)).not.toEqual([]);
});

describe('files that lie elsewhere, with a link to them', () => {
  const at = (...names: readonly string[]) => join(folder, ...names);
  const said = () =>
    [...checkConfigFiles(loaded()), ...checkFiles({ pki_dir: at('pki') })].map(({ what, mend }) => [what, mend]);

  beforeEach(() => {
    mkdirSync(at('elsewhere', 'pki'), { recursive: true, mode: 0o700 });
    writeFileSync(at('elsewhere', 'master'), 'sharedsecret: canary-canary\n', { mode: 0o640 });
    symlinkSync(at('elsewhere', 'master'), at('master'));
    symlinkSync(at('elsewhere', 'pki'), at('pki'));
  });

  it('are looked at themselves: of a link everybody may do everything', () => {
    expect(said()).toEqual([[`keys in ${at('pki')} are readable by their owner only`, '']]);
    expect(told()).toEqual([`warning secrets sharedsecret stands in ${at('master')}`]);
    chmodSync(at('elsewhere', 'master'), 0o600);
    expect(told()).toEqual([]);
  });

  it('are told of where others may write to them, and the mend lets the services read on', () => {
    chmodSync(at('elsewhere', 'master'), 0o646);
    chmodSync(at('elsewhere', 'pki'), 0o777);
    expect(said()).toEqual([
      [`others may write to ${at('master')}`, `chmod o-w ${at('master')}`],
      [`others may put files into ${at('pki')}`, `chmod go-w ${at('pki')}`],
    ]);
  });
});

it('names each key of a root that is left on this host, also of one that signs no more, and who else may read it', async () => {
  await sodiumReady();
  const pki = join(folder, 'pki');
  writeFileSync(join(folder, 'master'), '');
  const keys = new MasterKeys(pki);
  keys.create(Date.now());
  new RolesChanges(keys).newRoot(Date.now());
  rmSync(join(pki, 'root.key'));
  const old = join(pki, 'root.key.until-2');
  const said = () => checkFiles({ pki_dir: pki }).map(({ check, level, what }) => [check, level, what]);
  const warned = ['offline keys', 'warning', `${old} is on this host: whoever takes it over can make any key`];
  expect(said()).toContainEqual(warned);
  chmodSync(old, 0o644);
  expect(said()).toEqual([['files', 'problem', `others may read or write ${old}`], warned]);
});

it('names the key of the broker’s CA where it is left on this host, and who else may read it', () => {
  const pki = join(folder, 'pki');
  writeFileSync(join(folder, 'master'), '');
  const ca = join(pki, 'broker', 'tls', 'ca.key');
  mkdirSync(join(pki, 'broker', 'tls'), { recursive: true, mode: 0o700 });
  writeFileSync(ca, '', { mode: 0o600 });
  const said = () => checkFiles({ pki_dir: pki }).map(({ check, level, what }) => [check, level, what]);
  const warned = ['offline keys', 'warning', `${ca} is on this host: whoever takes it over can pass for the broker`];
  expect(said()).toContainEqual(warned);
  chmodSync(ca, 0o640);
  expect(said()).toEqual([['files', 'problem', `others may read or write ${ca}`], warned]);
  rmSync(ca);
  expect(said()).toEqual([['files', 'ok', `keys in ${pki} are readable by their owner only`]]);
});

it('names each file of the policy, and each folder of it, that others may write to: an included one decides as well', () => {
  const at = (...names: readonly string[]) => join(folder, ...names);
  mkdirSync(at('master.d'), { mode: 0o755 });
  for (const name of ['master', 'master.d/a.conf', 'more.txt']) writeFileSync(at(name), '', { mode: 0o644 });
  writeFileSync(at('master'), 'include: more.txt\n');
  chmodSync(folder, 0o755);
  const said = () => checkConfigFiles(loaded()).map(({ check, level, what, mend }) => [check, level, what, mend]);
  expect(said()).toEqual([]);
  for (const name of ['master.d/a.conf', 'more.txt']) chmodSync(at(name), 0o666);
  const open = (name: string) => ['files', 'problem', `others may write to ${at(name)}`, `chmod o-w ${at(name)}`];
  expect(said()).toEqual([open('master.d/a.conf'), open('more.txt')]);
  rmSync(at('master.d', 'a.conf'));
  chmodSync(at('more.txt'), 0o664);
  // Where nobody may replace another's file anybody may still add one, which is read.
  for (const mode of [0o777, 0o1777]) {
    chmodSync(at('master.d'), mode);
    expect(said()).toEqual([['files', 'problem', `others may put files into ${at('master.d')}`, `chmod o-w ${at('master.d')}`]]);
  }
}); // prettier-ignore

it('says of a class without a storage key that there is none, and not to make the next one', async () => {
  await sodiumReady();
  writeFileSync(join(folder, 'master'), '');
  const { config } = loaded();
  new MasterKeys(config.pki_dir).create(Date.now());
  const said = () => checkKeys(config, Date.now()).filter(({ level }) => level !== 'ok');
  expect(said()).toEqual([]);
  const roster = join(config.pki_dir, 'storage', 'roster');
  rmSync(roster, { recursive: true });
  const what = `there is no storage key in ${roster}: what was sealed with it cannot be read`;
  expect(said()).toEqual([{ check: 'key ages', level: 'problem', what, mend: 'restore that folder from a backup' }]);
});

it('names the file that should hold a certificate and holds none', () => {
  const file = join(folder, 'pki', 'broker', 'tls', 'server.crt');
  mkdirSync(join(folder, 'pki', 'broker', 'tls'), { recursive: true });
  writeFileSync(file, 'none\n');
  const said = checkCertificates({ pki_dir: join(folder, 'pki') }, Date.now());
  expect(said.map(({ level, what }) => [level, what])).toEqual([['problem', `${file} holds no certificate`]]);
});
