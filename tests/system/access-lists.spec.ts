/**
 * The second of the two example files, with the accounts that Salt's documentation names: what fred, dave and steve may do, each
 * as a real account of this machine (dave is known only through NSS). Every command is printed with its output.
 */
import { chmodSync } from 'node:fs';
import { runProgram } from '../support/run-program.js';
import { upCluster, type UpCluster } from '../support/up-cluster.js';
import { HostAccounts } from './host.js';

const MASTER = `publisher_acl:
  fred:
    - web*:
      - pkg.list_pkgs
      - test.*
      - apache.*
  dave:
    - test.version
    - mongo*:
      - network.*
    - log*:
      - network.*
      - pkg.*
    - G@os:RedHat:
      - kmod.*
  steve:
    - .*
`;

type Row = readonly [account: string, words: readonly string[]];

const ALLOWED: readonly Row[] = [
  ['fred', ['web1', 'pkg.list_pkgs']],
  ['fred', ['web*', 'test.ping']],
  ['fred', ['web1', 'apache.version']],
  ['dave', ['*', 'test.version']],
  ['dave', ['mongo1', 'network.ip_addrs']],
  ['dave', ['log1', 'network.ip_addrs']],
  ['dave', ['log1', 'pkg.version', 'dpkg']],
  ['dave', ['red1', 'kmod.lsmod']],
  ['steve', ['*', 'test.ping']],
  ['steve', ['db1', 'cmd.run', 'echo hello']],
];

const REFUSED: readonly Row[] = [
  ['fred', ['*', 'test.ping']],
  ['fred', ['web1', 'pkg.version', 'dpkg']],
  ['fred', ['db1', 'apache.version']],
  ['dave', ['*', 'test.ping']],
  ['dave', ['web1', 'network.ip_addrs']],
  ['dave', ['mongo1', 'pkg.version', 'dpkg']],
  ['dave', ['web1', 'kmod.lsmod']],
  ['dave', ['-C', 'mongo* or log*', 'network.ip_addrs']],
];

let host: HostAccounts;
let up: UpCluster;

beforeAll(async () => {
  host = HostAccounts.make(['fred', 'steve'], ['dave']);
  const minions = ['web1', 'web2', 'mongo1', 'log1', 'red1', 'db1'];
  const os = (id: string) => ({ [id]: { os: id === 'red1' ? 'RedHat' : 'Debian' } });
  const grains = Object.assign({}, ...minions.map(os)) as Record<string, { os: string }>;
  up = await upCluster({ minions, masterConfig: MASTER, grains });
  chmodSync(up.folder, 0o755);
  await runProgram(process.execPath, [up.command('natriumctl'), 'accounts', 'sync', '-c', up.master], { cwd: '/' });
});
afterAll(async () => {
  host.remove();
  await up.stop();
});

async function asked(account: string, words: readonly string[]) {
  const ran = await host.run(account, process.execPath, up.command('natrium'), '-c', up.master, ...words);
  const shown = ran.stdout.split('\n').slice(0, 6).join('\n    ').trimEnd();
  process.stdout.write(
    `${account}$ natrium ${words.join(' ')}\n    ${shown || ran.stderr.trim()}\n    exit ${ran.code}\n`,
  );
  return ran;
}

it.each(ALLOWED)('%s may: natrium %j', async (account, words) => {
  const { code, stdout, stderr } = await asked(account, words);
  // The gate let it through: what this host lacks, the minion itself says.
  const isAbsent = /ERROR: (this host has no Apache|the kernel of this host has no modules)/.test(stdout);
  expect(stderr.replace(/ERROR: Minions returned with non-zero exit code\n/, '')).toBe('');
  expect(code).toBe(isAbsent ? 1 : 0);
  expect(stdout).not.toBe('');
});

it.each(REFUSED)('%s may not: natrium %j, and hears who, what and whom', async (account, words) => {
  const { code, stdout, stderr } = await asked(account, words);
  const fun = words.find((word) => word.includes('.')) ?? '';
  expect({ code, stdout }).toEqual({ code: 13, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^account ${account} may not run '${fun}' on '`));
});
