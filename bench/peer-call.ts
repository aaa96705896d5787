/**
 * Measures one call of a minion through the gate: warm-up, then blocks of it and of raw request/reply by turns on the same
 * broker, then the same call alone for what each process spends on it, then under a tap for its steps.
 */
import { AgentSocket } from '../tests/support/agent-socket.js';
import type { Run } from './bench.js';
import { type Measured, median, usualAndSlow } from './figures.js';
import type { Cluster } from './cluster.js';
import { breakdown, type Step, type TappedCall } from './path-steps.js';
import { RawLink } from './raw-link.js';
import { processorTimeDuring } from './processes.js';
import { interleave, sample } from './sampling.js';
import { Tap } from './tap.js';

export interface PeerCall {
  readonly fun: string;
  readonly args: readonly unknown[];
  /** @throws {Error} When this is not the answer that all minions together give. */
  check(ret: unknown): void;
  readonly steps: readonly Step[];
  /** The name of the last step, from the last mark to the answer on the socket. */
  readonly back: string;
}

/** Until nothing gets faster: a service that has been up for a minute is what its users meet. Measured: 500 calls are too few. */
const WARM_UP = { count: 3000, limitMs: 30_000 };
const MEASURED = { count: 600, limitMs: 30_000 };
const ALONE = { count: 300, limitMs: 15_000 };
const TAPPED = { count: 300, limitMs: 15_000 };

export async function measurePeerCall(run: Run, what: PeerCall): Promise<readonly Measured[]> {
  const cluster = await run.cluster();
  const raw = await RawLink.open(run, cluster);
  const minion = await AgentSocket.open(cluster.socket('a'));
  const once = async () => {
    what.check(await minion.returned(what.fun, ...what.args));
  };
  try {
    await interleave(WARM_UP, () => raw.once(), once);
    const times = await interleave(MEASURED, () => raw.once(), once);
    return [
      ...usualAndSlow('', times.ours, times.raw),
      { metric: 'calls measured', unit: '', value: times.ours.length },
      ...(await processorTime(cluster.pid, once)),
      ...breakdown(what.steps, what.back, await tapCalls(cluster, once), median(times.raw)),
    ];
  } finally {
    minion.close();
    await raw.close();
  }
}

/** What a call costs each process, which hardly depends on what else the machine does; `waited` does. */
async function processorTime(pid: number, once: () => Promise<void>): Promise<readonly Measured[]> {
  const { done, spent } = await processorTimeDuring(pid, () => sample(ALONE, once));
  if (spent.length === 0) return [];
  const calls = done.length;
  const sum = (of: 'ran' | 'waited') => spent.reduce((total, one) => total + one[of], 0) / calls;
  return [
    ...spent.map(({ name, ran }) => ({ metric: `processor time per call: ${name}`, unit: 'ms', value: ran / calls })),
    { metric: 'processor time per call, all together', unit: 'ms', value: sum('ran') },
    { metric: 'waiting for a processor per call, all together', unit: 'ms', value: sum('waited') },
  ];
}

async function tapCalls(cluster: Cluster, once: () => Promise<void>): Promise<readonly TappedCall[]> {
  const tap = await Tap.open(cluster);
  const calls: TappedCall[] = [];
  try {
    await tap.take();
    await sample(TAPPED, async () => {
      const before = await tap.take();
      const began = performance.now();
      await once();
      const ended = performance.now();
      calls.push({ began, ended, heard: [...before, ...(await tap.take())] });
    });
  } finally {
    await tap.close();
  }
  return calls;
}
