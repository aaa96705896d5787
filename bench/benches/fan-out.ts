/**
 * One job to many minions, each with a connection of its own, and their returns: real gateway, acl-service, grants, envelopes and
 * returns, against as many plain messages and JetStream bytes to the same connections in the same run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { records } from '@natrium/wire';
import type { Bench, Run } from '../bench.js';
import type { Cluster } from '../cluster.js';
import { FanSwarm, type Parts } from '../fan-swarm.js';
import { type Measured, median } from '../figures.js';
import { PlainFan, type PlainRound, type Written } from '../plain-fan.js';
import { memoryBelow, processorTimeDuring } from '../processes.js';

/** Other numbers by `NATRIUM_FAN_OUT=10,100,1000,10000`: ten thousand take some minutes to come in. */
const SIZES = (process.env['NATRIUM_FAN_OUT'] ?? '100,1000').split(',').map(Number);
/** Three jobs in each: a hundred in all, and each must end with every return. */
const ROUNDS = 34;
/** After so many returns what is used all the time is compiled, here and in the plain client: a gateway that runs has had them. */
const WARM_UP_RETURNS = 20_000;
/** As many jobs to one minion as `peer-publish` begins with: of its own, a hundred minions had two hundred, too few for an acl-service. */
const WARM_UP_JOBS = 3000;
/** After the returns of a job their events are stored: so long after the last minion has heard that its return is. */
const SETTLE_MS = 250;
/** A service tidies up after ten seconds in which it has hardly anything to do and after ten more, and those may have begun just before (libs/process). */
const AT_REST_MS = 31_000;
/** The first decision for thousands that have just come in is waited for: what is measured is the way, not a refusal. */
const MASTER_FILE = 'request_rate: 0\ngrant_timeout: 30\n';
const STREAMS = [...records.JOB_BUCKETS.map((bucket) => `KV_NT_main_${bucket}`), 'NT_main_events'];
/** Of the gateway's receipt for one return. */
const STORED_BYTES = 44;

export const fanOut: Bench = {
  name: 'fan-out',
  about: `test.ping on ${SIZES.join(', ')} simulated minions and back, beside as many plain messages`,
  measure: async (run) => {
    const figures: Measured[] = [];
    const sizes: MemoryWith[] = [];
    for (const minions of SIZES) {
      const { figures: some, memoryKb } = await measureOf(run, minions);
      figures.push(...some);
      sizes.push({ minions, memoryKb });
    }
    return [...figures, ...growthOf(sizes)];
  },
};

/** What the gateway holds at rest with so many minions, in kilobytes of 10³ bytes. */
interface MemoryWith {
  readonly minions: number;
  readonly memoryKb: number;
}

/** Between two numbers of minions: what a gateway holds more once it has met its first one is not in it. */
function growthOf(sizes: readonly MemoryWith[]): readonly Measured[] {
  const ascending = [...sizes].sort((a, b) => a.minions - b.minions);
  return ascending.slice(1).map(({ minions, memoryKb }, index) => {
    const fewer = ascending[index] as MemoryWith;
    return {
      metric: `${String(minions)}: gateway memory per minion beyond ${String(fewer.minions)} (target 4)`,
      unit: 'kB',
      value: (memoryKb - fewer.memoryKb) / (minions - fewer.minions),
    };
  });
}

async function measureOf(run: Run, minions: number): Promise<{ figures: readonly Measured[]; memoryKb: number }> {
  const cluster = await run.startCluster(`fan-out-${String(minions)}`, { master: MASTER_FILE });
  const fan = await FanSwarm.open(run, cluster, minions);
  const plain = await PlainFan.open(cluster);
  try {
    run.note(`${String(minions)} minions come in`);
    const before = await gatewayKb(cluster, AT_REST_MS);
    await fan.swarm.start();
    const after = await gatewayKb(cluster, AT_REST_MS);
    await fan.swarm.pingAll();
    await warmUp(fan, plain, Math.ceil(WARM_UP_RETURNS / minions));
    run.note(`${String(minions)} minions are asked`);
    const rounds = await measureRounds(fan, plain, cluster);
    const memory = [
      { metric: 'gateway memory per minion', unit: 'kB', value: (after - before) / minions },
      { metric: 'gateway memory', unit: 'MB', value: after / 1000 },
      { metric: 'gateway memory after the jobs', unit: 'MB', value: (await gatewayKb(cluster, 0)) / 1000 },
    ];
    const named = memory.map((one) => ({ ...one, metric: `${String(minions)}: ${one.metric}` }));
    return { figures: [...figuresOf(minions, rounds), ...named], memoryKb: after };
  } finally {
    await plain.close();
    await fan.close();
    await cluster.stop();
  }
}

async function warmUp(fan: FanSwarm, plain: PlainFan, rounds: number): Promise<void> {
  for (let n = 0; n < WARM_UP_JOBS; n += 1) await fan.toOne();
  for (let n = 0; n < rounds; n += 1) await fan.whole();
  const parts = await fan.parted();
  for (let n = 0; n < rounds; n += 1) await plainOnce(fan, plain, parts, { messages: 1, bytes: 1000 });
}

/** As many messages of the same sizes. */
function plainOnce(fan: FanSwarm, plain: PlainFan, { jobBytes, returnBytes }: Parts, written: Written) {
  const sizes = { job: jobBytes, answer: returnBytes, stored: STORED_BYTES };
  return fan.plainly(returnBytes, () => plain.once(fan.subjects, sizes, written));
}

interface Rounds {
  readonly whole: readonly number[];
  readonly parts: readonly Parts[];
  readonly plain: readonly PlainRound[];
  /** Milliseconds of processor time of one job, by process. */
  readonly processor: readonly { readonly name: string; readonly ms: number }[];
  readonly written: Written;
}

async function measureRounds(fan: FanSwarm, plain: PlainFan, cluster: Cluster): Promise<Rounds> {
  const { written, processor } = await measureCost(fan, plain, cluster);
  const all = { whole: [] as number[], parts: [] as Parts[], plain: [] as PlainRound[] };
  for (let n = 0; n < ROUNDS; n += 1) {
    all.whole.push(await fan.whole());
    await settled(fan);
    const parts = await fan.parted();
    all.parts.push(parts);
    await settled(fan);
    all.plain.push(await plainOnce(fan, plain, parts, written));
    await pause(SETTLE_MS);
  }
  return { ...all, processor, written };
}

/**
 * What one job writes, and the processor time that it takes until all of that is written. How long these take is not told: each begins
 * while the one before is still being stored, and the plain rounds do not.
 */
async function measureCost(fan: FanSwarm, plain: PlainFan, cluster: Cluster) {
  await settled(fan);
  const before = await plain.written(STREAMS);
  const { spent } = await processorTimeDuring(cluster.pid, async () => {
    for (let n = 0; n < ROUNDS; n += 1) await fan.whole();
    await settled(fan);
  });
  const after = await plain.written(STREAMS);
  const written = {
    messages: Math.round((after.messages - before.messages) / ROUNDS),
    bytes: (after.bytes - before.bytes) / ROUNDS,
  };
  return { written, processor: spent.map(({ name, ran }) => ({ name, ms: ran / ROUNDS })) };
}

/** What the round before has left to do is not in the next one's time. */
async function settled(fan: FanSwarm): Promise<void> {
  await fan.rest();
  await pause(SETTLE_MS);
}

const SERVICES = ['master-gateway', 'acl-service', 'nats-server'];

function figuresOf(minions: number, { whole, parts, plain, processor, written }: Rounds): readonly Measured[] {
  const named = (metric: string) => `${String(minions)}: ${metric}`;
  const raw = median(plain.map(({ ms }) => ms));
  const rawProcessor = median(plain.map(({ processor: ms }) => ms));
  const gateway = parts.map(({ out, back }) => out + back);
  const spread = (metric: string, of: readonly number[]) => [
    { metric: named(`${metric}, fastest`), unit: 'ms', value: Math.min(...of) },
    { metric: named(`${metric}, slowest`), unit: 'ms', value: Math.max(...of) },
  ];
  const [first] = parts;
  return [
    { metric: named('job and all returns, p50'), unit: 'ms', value: median(whole), raw },
    ...spread('job and all returns', whole),
    { metric: named('without the minions’ work, p50'), unit: 'ms', value: median(gateway), raw },
    ...spread('without the minions’ work', gateway),
    {
      metric: named('of it: until the last minion has the job, p50'),
      unit: 'ms',
      value: median(parts.map(({ out }) => out)),
    },
    {
      metric: named('of it: from the first return to the end, p50'),
      unit: 'ms',
      value: median(parts.map(({ back }) => back)),
    },
    { metric: named('the minions’ work, p50'), unit: 'ms', value: median(parts.map((one) => one.minions)) },
    ...spread(
      'plain messages',
      plain.map(({ ms }) => ms),
    ),
    ...processor
      .filter(({ name }) => SERVICES.includes(name))
      .map(({ name, ms }) => ({
        metric: named(`processor time per minion: ${name}`),
        unit: 'µs',
        value: (ms * 1000) / minions,
        // What one client does without any of it, the gateway's part of these messages.
        ...(name === 'master-gateway' && { raw: (rawProcessor * 1000) / minions }),
      })),
    { metric: named('message to a minion'), unit: 'B', value: first?.jobBytes ?? 0 },
    { metric: named('return'), unit: 'B', value: first?.returnBytes ?? 0 },
    { metric: named('JetStream writes'), unit: '', value: written.messages },
    { metric: named('JetStream bytes'), unit: 'B', value: written.bytes },
  ];
}

/** After a while without work, in kilobytes of 10³ bytes. */
async function gatewayKb(cluster: Cluster, waitMs: number): Promise<number> {
  await pause(waitMs);
  const found = memoryBelow(cluster.pid).find(({ name }) => name === 'master-gateway');
  return (found?.private ?? Number.NaN) * 1000;
}
