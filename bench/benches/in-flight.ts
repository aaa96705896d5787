/** How many peer publishes a second the whole cluster does: 64 in flight from three minions, one target each. */
import type { Bench, Run } from '../bench.js';
import { type Cluster, MINIONS } from '../cluster.js';
import { type Measured, usualAndSlow } from '../figures.js';
import { AgentSocket } from '../../tests/support/agent-socket.js';
import { processorTimeDuring } from '../processes.js';
import { RawLink } from '../raw-link.js';
import { inFlight, type Throughput } from '../sampling.js';

const IN_FLIGHT = 64;
const WARM_UP = { count: 6000, limitMs: 15_000 };
const MEASURED = { count: 12_000, limitMs: 20_000 };

export const peerInFlight: Bench = {
  name: 'peer-in-flight',
  about: `publish.publish of one minion to one other, ${String(IN_FLIGHT)} in flight, beside raw with as many`,
  measure,
};

async function measure(run: Run): Promise<readonly Measured[]> {
  const { ours, plain, spent } = await loaded(run, await run.cluster());
  return [
    { metric: 'rate', unit: '1/s', value: ours.perSecond, raw: plain.perSecond },
    ...usualAndSlow('', ours.times, plain.times),
    { metric: 'calls measured', unit: '', value: ours.times.length },
    ...spent.map(({ name, ms }) => ({ metric: `processor time per call: ${name}`, unit: 'ms', value: ms })),
  ];
}

export interface Loaded {
  readonly ours: Throughput;
  /** The bare broker's, with as many in flight. */
  readonly plain: Throughput;
  /** Milliseconds of processor time for each call, by process. */
  readonly spent: readonly { readonly name: string; readonly ms: number }[];
}

/**
 * A cluster under this load, once it is warm.
 *
 * @param replicas Of its most numerous service: each has to have done as much before its code is compiled.
 */
export async function loaded(run: Run, cluster: Cluster, replicas = 1): Promise<Loaded> {
  const raw = await RawLink.open(run, cluster);
  const callers = await Promise.all(
    Array.from({ length: IN_FLIGHT }, (_, n) => AgentSocket.open(cluster.socket(MINIONS[n % MINIONS.length] ?? ''))),
  );
  const publish = async (lane: number) => {
    const target = MINIONS[(lane + 1) % MINIONS.length] ?? '';
    const ret = await callers[lane]?.returned('publish.publish', target, 'test.ping');
    if (JSON.stringify(ret) !== `{"${target}":true}`) throw new Error(`not the answer: ${JSON.stringify(ret)}`);
  };
  try {
    const warmUp = { count: WARM_UP.count * replicas, limitMs: WARM_UP.limitMs * replicas };
    await inFlight(warmUp, IN_FLIGHT, publish);
    const plain = await inFlight(MEASURED, IN_FLIGHT, () => raw.once());
    const { done: ours, spent } = await processorTimeDuring(cluster.pid, () => inFlight(MEASURED, IN_FLIGHT, publish));
    return { ours, plain, spent: spent.map(({ name, ran }) => ({ name, ms: ran / ours.times.length })) };
  } finally {
    for (const caller of callers) caller.close();
    await raw.close();
  }
}
