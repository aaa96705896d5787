/**
 * A change of identity, and deaths in the middle of it: whenever the agent or an acl-service is killed, the minion comes back
 * under one identity that is accepted, the old or the new one, and nobody has to do anything.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fingerprint } from '@natrium/envelope';
import { readIdentity } from '@natrium/keystore';
import { type OpenMaster, openMaster } from '../../apps/cli/src/link/open-master.js';
import { Program } from '../drills/program.js';
import { AgentSocket } from '../support/agent-socket.js';
import { printFigure } from '../support/figures.js';
import { oneMoreMinion } from '../support/one-more-minion.js';
import { BUILT } from '../support/places.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

/** Each kills the agent after another share of the time that an undisturbed change takes. */
const SHARES = [0.1, 0.4, 0.7, 1];
const LONG_MS = 120_000;

let folder: string;
let cluster: UpCluster;
let master: OpenMaster;
let agent: Program;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-succession-'));
  const replicas = { 'acl-service': 2 };
  cluster = await upCluster({ minions: ['b'], masterConfig: 'auto_accept: true\n', replicas });
  const opened = await openMaster(cluster.master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  master = opened.value;
  agent = anAgent('x');
  await agent.start();
}, START_MS);
afterAll(async () => {
  await agent.end();
  await master.transport.drain();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One more minion, whose process is the test's. */
function anAgent(id: string): Program {
  const own = oneMoreMinion(cluster, folder, id);
  const args = [join(BUILT, 'minion-agent', 'main.mjs'), '-c', own];
  return new Program({ name: id, file: process.execPath, args, cwd: own, log: join(folder, 'log'), guarded: false });
}

const keyPath = () => join(folder, 'x', 'pki', 'minion.key');

function fingerprintOnDisk(): string {
  const identity = readIdentity(keyPath());
  if (identity === undefined) throw new Error('there is no key on disk');
  return fingerprint(identity.publicKey);
}

async function changes(): Promise<string> {
  const socket = await AgentSocket.open(join(folder, 'x', 'run', 'minion.sock'));
  try {
    const { ret, success } = await socket.call('saltutil.regen_keys');
    if (!success) throw new Error(String(ret));
    return String(ret);
  } finally {
    socket.close();
  }
}

/** The fingerprints that the cluster accepts for the minion. */
async function accepted(): Promise<readonly string[]> {
  const listed = await master.client.admin('key', 'key.list', []);
  if (!listed.ok) throw new Error(listed.error.sentence);
  const all = listed.value as readonly Readonly<Record<'id' | 'fingerprint' | 'state', string>>[];
  return all.filter(({ id, state }) => id === 'x' && state === 'accepted').map((key) => key.fingerprint);
}

async function answers(): Promise<void> {
  for (;;) {
    const { stdout } = await cluster.natrium('x', 'test.ping', '--timeout=5', '--out=json');
    if (stdout.includes('true')) return;
  }
}

/** What was begun is finished, or given up. */
async function settled(): Promise<void> {
  do await answers();
  while (existsSync(`${keyPath()}.next`));
}

it(
  'an agent that is killed at any moment of it comes back, and runs jobs under the one identity that is accepted',
  async () => {
    const began = performance.now();
    expect(await changes()).toBe(fingerprintOnDisk());
    const undisturbedMs = performance.now() - began;
    printFigure('an undisturbed change', undisturbedMs);
    for (const share of SHARES) {
      const asked = changes().catch(() => 'killed');
      await pause(undisturbedMs * share);
      agent.signal('SIGKILL');
      await asked;
      await settled();
      expect(await accepted()).toEqual([fingerprintOnDisk()]);
    }
  },
  LONG_MS,
);

it(
  'an acl-service that is killed in the middle of it leaves one accepted identity, and the change is finished by another',
  async () => {
    const before = fingerprintOnDisk();
    const asked = changes().catch(() => 'not now');
    cluster.kill('acl-service', 'SIGKILL');
    await asked;
    await settled();
    expect(await accepted()).toEqual([fingerprintOnDisk()]);
    const after = await changes();
    expect(after).not.toBe(before);
    expect(await accepted()).toEqual([after]);
  },
  LONG_MS,
);
