/**
 * `natriumctl swarm` against a cluster of processes whose broker has users: fifty simulated minions join under keys of their own,
 * all answer, who may not ask them does not reach them, and Ctrl-C leaves no process and no key.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesOf } from '../support/processes.js';
import { Tap } from '../support/tap.js';
import { START_MS } from '../support/up-cluster.js';
import { UpProcess } from '../support/up-process.js';
import { useCluster } from '../support/use-cluster.js';

const COUNT = 50;
const ids = Array.from({ length: COUNT }, (_, at) => `swarm${String(at + 1)}`);
const MASTER = 'peer:\n  a:\n    - test.ping\n';

const cluster = useCluster({ minions: ['a'], masterConfig: MASTER });
let folder: string;
let swarm: UpProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-swarm-'));
  mkdirSync(join(folder, 'tmp'));
  swarm = aSwarm('--minions', String(COUNT), '--processes', '2', '--forget');
  await swarm.ready;
}, START_MS);
afterAll(async () => {
  await swarm.stop();
  rmSync(folder, { recursive: true, force: true });
}, START_MS);

/** Its processes and files are told by their folder. */
function aSwarm(...words: readonly string[]): UpProcess {
  return new UpProcess(cluster().command('natriumctl'), [...words, '-c', cluster().master], 'swarm', {
    TMPDIR: join(folder, 'tmp'),
  });
}

async function accepted(): Promise<readonly string[]> {
  const { stdout, stderr } = await cluster().key('-l', 'acc', '--out', 'json');
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { minions: string[] }).minions;
}

it('says in one line when all of them have answered', () => {
  expect(swarm.lines.at(-1)).toMatch(/^ready: 50 minions in \d+\.\d s; natrium -c \S+ 'swarm\*' test\.ping$/);
});

it('has minions that all answer, each under a key of its own', async () => {
  const { stdout, code } = await cluster().natrium('swarm*', 'test.ping', '--static', '--out', 'json');
  expect({ code, ret: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    ret: Object.fromEntries(ids.map((id) => [id, true])),
  });
  expect([...(await accepted())].sort()).toEqual(['a', ...ids].sort());
});

it('has minions that say what they are', async () => {
  const { stdout } = await cluster().natrium('-G', 'simulated:True', 'grains.get', 'id', '--static', '--out', 'json');
  expect(JSON.parse(stdout)).toEqual(Object.fromEntries(ids.map((id) => [id, id])));
});

it('has minions that run nothing of the host', async () => {
  const { stdout, code } = await cluster().natrium('swarm7', 'cmd.run', 'id', '--out', 'json');
  expect(JSON.parse(stdout)).toEqual({ swarm7: "'cmd.run' is not available." });
  expect(code).toBe(1);
});

it('is not asked what a minion may not ask it: nothing is sent', async () => {
  const tap = await Tap.open(cluster().brokerUrl, cluster().folder, 'nt.*.job.*');
  const refused = await cluster().call('a', 'publish.publish', 'swarm*', 'test.version');
  expect(refused.code).toBe(13);
  expect(await tap.take()).toEqual([]);
  const allowed = await cluster().call('a', 'publish.publish', 'swarm*', 'test.ping');
  expect(allowed.code).toBe(0);
  expect(await tap.take()).toHaveLength(COUNT);
  await tap.close();
});

it('refuses to share connections that the broker gives to one user each', async () => {
  const { code, stderr } = await cluster().ctl('swarm', '--minions', '2', '--prefix', 'few', '--connections', '1');
  expect(code).toBe(1);
  expect(stderr).toContain('each minion needs a connection of its own');
  expect((await accepted()).filter((id) => id.startsWith('few'))).toEqual([]);
});

it(
  'ends at Ctrl-C with no process, no file and, with --forget, no key',
  async () => {
    expect(processesOf(folder).length).toBeGreaterThanOrEqual(2);
    expect(await swarm.stop()).toBe(0);
    expect(processesOf(folder)).toEqual([]);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    expect(await accepted()).toEqual(['a']);
  },
  START_MS,
);

it.each([
  ['SIGTERM and SIGHUP', ['SIGTERM', 'SIGHUP']],
  ['SIGHUP', ['SIGHUP']],
])(
  'ends with no process and no file after %s, too',
  async (_, signals) => {
    const one = aSwarm('--minions', '2', '--prefix', 'told');
    await one.ready;
    for (const signal of signals) process.kill(one.pid, signal);
    await one.ended;
    expect(processesOf(folder)).toEqual([]);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
    await cluster().ctl('swarm', '--prefix', 'told', '--forget');
  },
  START_MS,
);

it(
  'without --forget leaves keys, which the next one, or --forget alone, takes away',
  async () => {
    const first = aSwarm('--minions', '3');
    await first.ready;
    expect(await first.stop()).toBe(0);
    expect([...(await accepted())].sort()).toEqual(['a', 'swarm1', 'swarm2', 'swarm3']);
    const second = aSwarm('--minions', '2');
    await second.ready;
    await second.stop();
    expect([...(await accepted())].sort()).toEqual(['a', 'swarm1', 'swarm2']);
    const { stdout, code } = await cluster().ctl('swarm', '--forget');
    expect({ stdout, code }).toEqual({ stdout: '2 keys deleted\n', code: 0 });
    expect(await accepted()).toEqual(['a']);
  },
  START_MS,
);
