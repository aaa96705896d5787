/** `natriumctl doctor` on a real cluster: each defect is made, found, and gone from its findings when it is mended. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountJwt, BrokerKeys, type Scope, SCOPES } from '@natrium/broker-auth';
import { NatsTransport } from '@natrium/bus';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { MasterKeys, readCredentials } from '@natrium/keystore';
import { until } from '@natrium/testing';
import { PEER_ALL } from '../support/examples.js';
import { runProgram } from '../support/run-program.js';
import { START_MS } from '../support/up-cluster.js';
import { useCluster } from '../support/use-cluster.js';

await sodiumReady();

const cluster = useCluster({ minions: ['a'], masterConfig: PEER_ALL });

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly what: string;
  readonly mend: string;
}

async function doctor(
  dir = cluster().master,
): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const file = cluster().command('natriumctl');
  const { code, stdout } = await runProgram(process.execPath, [file, 'doctor', '-c', dir, '--json']);
  return { code, findings: (JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings };
}

const levels = (findings: readonly Finding[], check: string) =>
  findings.filter((one) => one.check === check).map(({ level }) => level);
const pki = (...parts: readonly string[]) => join(cluster().master, 'pki', ...parts);

it('finds on a laptop what a laptop lacks, each with its mend, and exits with 1', async () => {
  const { code, findings } = await doctor();
  const wrong = findings.filter(({ level }) => level !== 'ok');
  expect([...new Set(wrong.map(({ check }) => check))].filter((check) => !['file limit', 'disk space', 'policy'].includes(check)).sort()).toEqual(['offline keys', 'replicas', 'unix users']); // prettier-ignore
  expect(wrong.filter(({ level, mend }) => level === 'problem' || mend === '')).toEqual([]);
  expect(code).toBe(1);
  for (const check of ['broker', 'broker users', 'broker scopes', 'jetstream sync', 'jetstream space', 'jetstream replicas', 'clock', 'files', 'roles', 'key ages', 'roles seen'])
    expect([check, levels(findings, check)]).toEqual([check, ['ok']]); // prettier-ignore
  const text = await runProgram(process.execPath, [cluster().command('natriumctl'), 'doctor', '-c', cluster().master]);
  expect(text.stdout).toMatch(/^warning: .+\n {2}mend: .+\n/);
  expect(text.stdout).toMatch(/0 problems, \d+ warnings, \d+ checks are fine\n$/);
});

it('finds a key that others may read, and a folder that they may write to', async () => {
  const file = pki('roles.d', 'acl.key');
  chmodSync(file, 0o640);
  chmodSync(pki('storage'), 0o777);
  const { code, findings } = await doctor().finally(() => {
    chmodSync(file, 0o600);
    chmodSync(pki('storage'), 0o700);
  });
  expect(code).toBe(2);
  expect(findings.filter(({ check }) => check === 'files').map(({ mend }) => mend)).toEqual([
    `chmod go= ${file}`,
    `chmod go-w ${pki('storage')}`,
  ]);
  expect(levels((await doctor()).findings, 'files')).toEqual(['ok']);
});

it('finds storage keys that nobody has rotated', async () => {
  const folder = pki('storage', 'jobs');
  const [file = ''] = readdirSync(folder);
  renameSync(join(folder, file), join(folder, '20200101000000.key'));
  const { findings } = await doctor().finally(() => {
    renameSync(join(folder, '20200101000000.key'), join(folder, file));
  });
  expect(findings.filter(({ level }) => level === 'warning').map(({ what }) => what)).toContain(
    'the newest storage keys of jobs are older than a week',
  );
});

it('finds that the broker has no users for what this version added', async () => {
  const file = pki('broker', 'acl', 'scopes.json');
  const whole = readFileSync(file, 'utf8');
  const { guest: _guest, ...older } = JSON.parse(whole) as Readonly<Record<string, string>>;
  writeFileSync(file, JSON.stringify(older));
  const { code, findings } = await doctor().finally(() => {
    writeFileSync(file, whole);
  });
  expect(code).toBe(2);
  expect(findings.filter(({ check }) => check === 'broker scopes').map(({ what }) => what)).toEqual([
    'this cluster was made by an earlier version: its broker has no users for guest',
  ]);
});

it('finds an account that an acl-service of an earlier version has signed', async () => {
  const keys = new BrokerKeys(pki('broker'));
  const older = SCOPES.filter(({ name }) => name !== 'guest');
  await putAccount(keys, older);
  const { findings } = await doctor().finally(() => putAccount(keys, SCOPES));
  expect(findings.filter(({ check }) => check === 'broker scopes').map(({ level, what }) => [level, what])).toEqual([
    ['problem', 'the account at the broker lacks guest: an acl-service that does not know them signed it last'],
  ]);
  expect(levels((await doctor()).findings, 'broker scopes')).toEqual(['ok']);
});

/** Gives the broker the cluster's account with just these scopes, as an acl-service does. */
async function putAccount(keys: BrokerKeys, scopes: readonly Scope[]): Promise<void> {
  const content = { cluster: 'main', scopes, keys: keys.scopeKeys, revoked: [] };
  const jwt = await accountJwt(keys.account, keys.operatorSigning, content);
  const user = readCredentials(keys.credsPath('system'));
  if (user === undefined) throw new Error('no system user');
  const transport = await NatsTransport.connect({
    servers: [cluster().brokerUrl],
    name: 'test',
    user: { jwt: () => user.jwt, key: user.key },
    inbox: `_INBOX.${user.name}`,
  });
  await transport.request('$SYS.REQ.CLAIMS.UPDATE', Buffer.from(jwt), START_MS);
  await transport.drain();
}

it('finds a configuration and a policy that cannot be used', async () => {
  const file = join(cluster().master, 'master.d', 'zz.conf');
  writeFileSync(file, 'clock_skew: never\n');
  const broken = await doctor();
  writeFileSync(file, 'peer: 7\n');
  const useless = await doctor();
  rmSync(file);
  expect([broken.code, levels(broken.findings, 'configuration')]).toEqual([2, ['problem']]);
  expect(broken.findings[0]?.what).not.toContain('Mend');
  expect([useless.code, levels(useless.findings, 'policy')]).toEqual([2, ['problem']]);
});

it('names credentials that are damaged or another cluster’s, and what mends that', async () => {
  const file = pki('broker', 'users', 'auditor.creds');
  const whole = readFileSync(file, 'utf8');
  const other = mkdtempSync(join(tmpdir(), 'nt-doctor-'));
  const found = async (text: string) => {
    writeFileSync(file, text);
    const { findings } = await doctor().finally(() => {
      writeFileSync(file, whole);
    });
    return findings.filter(({ check }) => check === 'cluster').map(({ what, mend }) => [what, mend]);
  };
  try {
    const words = ['init', '-c', other];
    expect((await runProgram(process.execPath, [cluster().command('natriumctl'), ...words])).code).toBe(0);
    expect(await found('junk')).toEqual([
      [expect.stringContaining(`${file} does not hold`), expect.stringContaining('restore it from a backup')],
    ]);
    expect(await found(readFileSync(join(other, 'pki', 'broker', 'users', 'auditor.creds'), 'utf8'))).toEqual([
      [
        expect.stringContaining('does not know this account'),
        expect.stringContaining('server.conf that natriumctl init made'),
      ],
    ]);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

it('finds that there is no cluster, and one that does not answer', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'nt-doctor-'));
  try {
    writeFileSync(join(empty, 'master'), '');
    expect(await doctor(empty)).toMatchObject({ code: 2, findings: [{ check: 'keys', level: 'problem' }] });
    const words = ['init', '-c', empty, '--broker-auth', 'none'];
    expect((await runProgram(process.execPath, [cluster().command('natriumctl'), ...words])).code).toBe(0);
    writeFileSync(join(empty, 'master'), 'nats: nats://127.0.0.1:1\n');
    const { code, findings } = await doctor(empty);
    expect(code).toBe(2);
    expect(findings.filter(({ check }) => check === 'cluster')).toEqual([
      {
        check: 'cluster',
        level: 'problem',
        what: 'no broker answers at nats://127.0.0.1:1',
        mend: 'start the broker and the services, or correct nats, then run this again',
      },
    ]);
    expect(existsSync(join(empty, 'pki', 'broker', 'join.creds'))).toBe(true);
    writeFileSync(join(empty, 'pki', 'account.key'), '');
    const [damaged] = (await doctor(empty)).findings.filter(({ check }) => check === 'cluster');
    expect(damaged?.what).toContain('account.key does not hold');
    expect(damaged?.mend).toBe('mend that, then run this again');
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});

it('finds a service that is gone', async () => {
  cluster().kill('runner-service', 'SIGTERM');
  const replicas = await until('the doctor finds it', async () => {
    const found = levels((await doctor()).findings, 'replicas');
    return found.includes('problem') && found;
  });
  expect(replicas).toEqual(['warning', 'warning', 'problem']);
}, START_MS); // prettier-ignore

it('prints no secret, and the fingerprint of nobody', async () => {
  const { findings } = await doctor();
  const text = JSON.stringify(findings);
  for (const file of [pki('root.key'), pki('roles.d', 'acl.key'), pki('account.key')])
    expect(text).not.toContain(readFileSync(file, 'utf8').trim());
  expect(text).not.toContain(fingerprint(new MasterKeys(pki()).chain()[0]));
});
