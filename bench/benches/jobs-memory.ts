/** What a process holds after many jobs: it must not grow with how many it has done. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Run } from '../bench.js';
import type { Cluster } from '../cluster.js';
import type { Measured } from '../figures.js';
import { AgentSocket } from '../../tests/support/agent-socket.js';
import { type Memory, memoryBelow } from '../processes.js';

const FEW = 1000;
const MANY = 10_000;
/** Jobs on their way at the same time. */
const AT_ONCE = 20;
/** So long nothing is asked before memory is read. */
const REST_MS = 3000;
/** A job's message lives for a minute, and half a minute more where clocks differ: for so long a minion must remember it. */
const ENDED_MS = 120_000;

export const jobsMemory: Bench = {
  name: 'jobs-memory',
  about: 'memory of each process after 1,000 jobs and after 10,000',
  measure: async (run) => {
    const cluster = await run.startCluster('jobs-memory');
    try {
      await ask(run, cluster, FEW);
      const few = await memoryWhenEnded(run, cluster);
      await ask(run, cluster, MANY - FEW);
      await pause(REST_MS);
      const many = memoryBelow(cluster.pid);
      const ended = await memoryWhenEnded(run, cluster);
      return few.flatMap((before, at) => figures(before, many[at], ended[at]));
    } finally {
      await cluster.stop();
    }
  },
};

async function memoryWhenEnded(run: Run, cluster: Cluster): Promise<readonly Memory[]> {
  run.note(`waiting ${String(ENDED_MS / 1000)} s, until every request has ended`);
  await pause(ENDED_MS);
  return memoryBelow(cluster.pid);
}

async function ask(run: Run, cluster: Cluster, jobs: number): Promise<void> {
  run.note(`${String(jobs)} jobs`);
  let left = jobs;
  const calls = await Promise.all(Array.from({ length: AT_ONCE }, () => AgentSocket.open(cluster.socket('a'))));
  const worker = async (minion: AgentSocket) => {
    while (left > 0) {
      left -= 1;
      await minion.returned('publish.publish', '*', 'test.ping');
    }
  };
  try {
    await Promise.all(calls.map(worker));
  } finally {
    for (const minion of calls) minion.close();
  }
}

function figures(few: Memory, many: Memory | undefined, ended: Memory | undefined): readonly Measured[] {
  const of = (when: string, one: Memory | undefined) => ({
    metric: `${few.name}: RSS ${when}`,
    unit: 'MB',
    value: one?.rss ?? Number.NaN,
  });
  return [
    of(`after ${String(FEW)} jobs that have ended`, few),
    of(`after ${String(MANY)} jobs, all still remembered`, many),
    of(`after ${String(MANY)} jobs that have ended`, ended),
  ];
}
