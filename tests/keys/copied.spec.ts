/** A host that was copied with its key: two agents run each job of that minion, and the operator hears of it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { Program } from '../drills/program.js';
import { oneMoreMinion } from '../support/one-more-minion.js';
import { BUILT } from '../support/places.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

/** What was sealed before an announcement may come for a minute after it. */
const LONG_MS = 150_000;

let folder: string;
let cluster: UpCluster;
let agents: Program[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-copied-'));
  cluster = await upCluster({ minions: ['b'], masterConfig: 'auto_accept: true\n' });
  const original = oneMoreMinion(cluster, folder, 'x');
  agents = [agentIn(original)];
  await agents[0]?.start();
}, START_MS);
afterAll(async () => {
  for (const agent of agents) await agent.end();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

function agentIn(own: string): Program {
  const args = [join(BUILT, 'minion-agent', 'main.mjs'), '-c', own];
  return new Program({ name: 'x', file: process.execPath, args, cwd: own, log: `${own}.log`, guarded: false });
}

const told = () => cluster.lines.filter((line) => line.includes('two agents are at work under one identity'));

it(
  'is told, with its name, once both have run its jobs for a minute; a minion of its own is not',
  async () => {
    await until('the original answers', async () => (await cluster.natrium('x', 'test.ping')).stdout.includes('True'));
    cpSync(join(folder, 'x'), join(folder, 'copy'), {
      recursive: true,
      filter: (path) => !/\.(?:sock|ipc)$/.test(path),
    });
    const copy = agentIn(join(folder, 'copy'));
    agents.push(copy);
    await copy.start();
    await until(
      'the gateway tells of it',
      async () => {
        await cluster.natrium('*', 'test.ping', '--timeout=5');
        return told().length > 0;
      },
      LONG_MS,
    );
    expect(told()).toEqual([expect.stringContaining('"id":"x"')]);
    const fired = await until('its event is stored', async () => {
      const { stdout } = await cluster.ctl('event', 'replay', 'natrium/twice/');
      return stdout !== '' && stdout;
    });
    expect(fired).toMatch(/^natrium\/twice\/x\s/);
  },
  2 * LONG_MS,
);
