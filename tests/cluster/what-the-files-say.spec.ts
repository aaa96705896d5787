/** What operators bring along in their files: what protects is heeded, and what is set aside is said where nobody asked for more lines. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { oneMoreMinion } from '../support/one-more-minion.js';
import { BUILT } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { useCluster } from '../support/use-cluster.js';

const cluster = useCluster({
  minions: ['a', 'b'],
  masterConfig: 'max_minions: 2\nfile_recv: False\n',
  minionConfig: {
    a: 'disable_modules: [cmdmod, sl]\nlog_file: /var/log/salt/minion\n',
    b: 'whitelist_modules: [test, sys]\n',
  },
});

const AGENT = join(BUILT, 'minion-agent', 'main.mjs');
/** Who hears "full" asks again for ever. */
const ENDED_MS = 6000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-files-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('modules', () => {
  it.each([
    ['a', 'cmd.run'],
    ['b', 'cmd.run'],
    ['b', 'file.read'],
  ])('of %s that are shut out do not load: no %s for a job, nor for natrium-call', async (id, fun) => {
    const job = await cluster().natrium(id, fun, '/etc/hostname', '--out=json');
    expect(JSON.parse(job.stdout)).toEqual({ [id]: `'${fun}' is not available.` });
    for (const how of [[], ['--local']]) {
      const { stdout, stderr, code } = await cluster().call(id, ...how, fun, '/etc/hostname');
      expect(stdout + stderr).toContain(`'${fun}' is not available`);
      expect(code).not.toBe(0);
    }
  });

  it('that are not are there, and sys tells of them alone', async () => {
    const { stdout } = await cluster().natrium('*', 'test.echo', 'here', '--out=json', '--static');
    expect(JSON.parse(stdout)).toEqual({ a: 'here', b: 'here' });
    const listed = await cluster().natrium('b', 'sys.list_modules', '--out=json');
    expect(JSON.parse(listed.stdout)).toEqual({ b: ['sys', 'test'] });
  });
});

it.each([
  ['acl-service', 'file_recv is a key of Salt that Natrium does not use'],
  ['a', 'log_file is a key of Salt that Natrium does not use'],
  ['a', 'disable_modules or whitelist_modules names sl, and no module is called so'],
])('%s says, without being asked for more: %s', (name, sentence) => {
  expect(cluster().lines.filter((line) => line.startsWith(`${name}: `) && line.includes(sentence))).toHaveLength(1);
});

it('above max_minions nobody is let in, nor waits', async () => {
  const config = oneMoreMinion(cluster(), folder, 'c');
  const { stdout } = await runProgram(process.execPath, [AGENT, '-c', config], { timeoutMs: ENDED_MS });
  expect(stdout).toContain('the master takes no further keys now');
  const keys = JSON.parse((await cluster().key('-L', '--out=json')).stdout) as Readonly<Record<string, unknown>>;
  expect(keys).toMatchObject({ minions: ['a', 'b'], minions_pre: [] });
});

it('a minion whose user is another account than its own does not start', async () => {
  const config = join(folder, 'd');
  mkdirSync(config);
  writeFileSync(join(config, 'minion'), 'user: nobody-of-ours\n');
  const { stderr, code } = await runProgram(process.execPath, [AGENT, '-c', config]);
  expect(stderr).toContain(`user is nobody-of-ours, and this agent runs as ${userInfo().username}`);
  expect(code).toBe(1);
});
