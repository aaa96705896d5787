/** How long a cluster takes to be there, and what it weighs while nobody asks anything of it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { type Measured, median } from '../figures.js';
import { type Memory, memoryBelow } from '../processes.js';

const WARM_STARTS = 3;
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
    for (let start = 0; start < WARM_STARTS; start += 1) {
      const cluster = await run.startCluster(FOLDER);
      warm.push(await cluster.ready);
      if (start === WARM_STARTS - 1) {
        await pause(IDLE_MS);
        memory = memoryBelow(cluster.pid);
      }
      await cluster.stop();
    }
    return [
      { metric: 'up until ready, first start', unit: 'ms', value: fresh },
      { metric: 'up until ready, warm', unit: 'ms', value: median(warm) },
      ...memory.flatMap(figures),
      ...totals(memory),
    ];
  },
};

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
