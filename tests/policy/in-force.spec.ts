/** Which policy is in force at each acl-service, as `natriumctl doctor` tells it to whoever has the files. */
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { runProgram } from '../support/run-program.js';
import { useCluster } from '../support/use-cluster.js';

const ALLOWS = 'peer:\n  web.*: [test.ping]\n';
const REFUSES = 'peer: {}\n';
const MALFORMED = 'peer:\n  "(": [test.ping]\n';
const FINE = 'ok: what these files say, at each of 2 acl-services';

const cluster = useCluster({ minions: [], masterConfig: ALLOWS, replicas: { 'acl-service': 2 } });

/** The same files, where no acl-service reads them. */
let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'nt-in-force-'));
  const sockets = join(cluster().master, 'run');
  cpSync(cluster().master, copy, { recursive: true, filter: (source) => !source.startsWith(sockets) });
});
afterAll(() => {
  rmSync(copy, { recursive: true });
});

/** As an editor or a deployment replaces a file. */
function write(folder: string, text: string): void {
  const path = join(folder, 'master');
  writeFileSync(`${path}.draft`, text);
  renameSync(`${path}.draft`, path);
}

/** What is said of the policy in force, to whoever has the files of the copy. */
async function said(): Promise<string> {
  const { stdout } = await runProgram(process.execPath, [
    cluster().command('natriumctl'),
    'doctor',
    '--json',
    '-c',
    copy,
  ]);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Readonly<Record<string, string>>[] };
  const found = findings.filter(({ check }) => check === 'policy in force');
  return found.map(({ level = '', what = '' }) => `${level}: ${what}`).join('\n');
}

it('is the one of the files, at each', async () => {
  expect(await said()).toBe(FINE);
});

it('is an older one where the newest files are refused, until they are mended', async () => {
  write(cluster().master, MALFORMED);
  const refused = await until('it is told', async () => {
    const now = await said();
    return now.startsWith('problem: 2 of 2') && now;
  });
  expect(refused).toBe(
    'problem: 2 of 2 acl-services could not take the newest files: an older policy is in force there, and a restart would end the service',
  );
  write(cluster().master, ALLOWS);
  await until('it is taken back', async () => (await said()) === FINE);
});

it('is another one where the files are not the same', async () => {
  write(copy, REFUSES);
  expect(await said()).toBe('problem: 2 of 2 acl-services have another policy in force than these files say');
  write(cluster().master, REFUSES);
  await until('it has arrived', async () => (await said()) === FINE);
});
