/** How long a cluster takes to be there, and what it weighs while nobody asks anything of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import type { Cluster } from '../cluster.js';
import { type Measured, median } from '../figures.js';
import { type Memory, memoryBelow, type Program, programBelow } from '../processes.js';

const WARM_STARTS = 3;
const AGENT_STARTS = 5;
const START_MS = 10_000;
const LOOK_MS = 20;
/** So long nothing is asked before memory is read: a process tidies up after 2 and after 10 seconds (libs/process). */
const IDLE_MS = 12_000;
const FOLDER = 'ready';

export const ready: Bench = {
  name: 'ready',
  about: 'natriumctl up until ready, fresh and warm; memory of each process idle',
  measure: async (run) => {
    const first = await run.startCluster(FOLDER);
    const fresh = await first.ready;
    await first.stop();
    const warm: number[] = [];
    let memory: readonly Memory[] = [];
    const agent: number[] = [];
    for (let start = 0; start < WARM_STARTS; start += 1) {
      const cluster = await run.startCluster(FOLDER);
      warm.push(await cluster.ready);
      if (start === WARM_STARTS - 1) {
        await pause(IDLE_MS);
        memory = memoryBelow(cluster.pid);
        agent.push(...(await agentStarts(cluster)));
      }
      await cluster.stop();
    }
    return [
      { metric: 'up until ready, first start', unit: 'ms', value: fresh },
      { metric: 'up until ready, warm', unit: 'ms', value: median(warm) },
      { metric: 'minion-agent until ready, after exec (target 300)', unit: 'ms', value: median(agent) },
      ...memory.flatMap(figures),
      ...totals(memory),
    ];
  },
};

/** One that its cluster knows, ended and started again with the same words. */
async function agentStarts(cluster: Cluster): Promise<readonly number[]> {
  const program = programBelow(cluster.pid, 'minion-agent a');
  await ended(program);
  const took: number[] = [];
  for (let start = 0; start < AGENT_STARTS; start += 1) took.push(await startOf(program));
  return took;
}

/** The cluster outlives its agents. */
async function ended({ name, pid }: Program): Promise<void> {
  process.kill(pid);
  for (let waited = 0; waited < START_MS; waited += LOOK_MS) {
    if (!isThere(pid)) return;
    await pause(LOOK_MS);
  }
  throw new Error(`${name} does not end`);
}

async function startOf({ words: [file = '', ...args] }: Program): Promise<number> {
  const began = performance.now();
  const agent = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(agent, 'message', { signal: AbortSignal.timeout(START_MS) });
  const took = performance.now() - began;
  agent.kill();
  await once(agent, 'exit');
  return took;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function figures({ name, rss, private: own }: Memory): readonly Measured[] {
  return [
    { metric: `${name}: RSS`, unit: 'MB', value: rss },
    { metric: `${name}: private`, unit: 'MB', value: own },
  ];
}

function totals(memory: readonly Memory[]): readonly Measured[] {
  const master = memory.filter(({ name }) => !name.startsWith('minion-agent'));
  if (master.length === 0) return [];
  const sum = (of: (one: Memory) => number) => master.reduce((total, one) => total + of(one), 0);
  return [
    { metric: 'services and broker together: RSS', unit: 'MB', value: sum(({ rss }) => rss) },
    { metric: 'services and broker together: private', unit: 'MB', value: sum((one) => one.private) },
  ];
}
