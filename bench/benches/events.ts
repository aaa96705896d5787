/**
 * The event bus: how many events a second, and how soon one is heard. Rates count an event when a listener of the other gateway
 * has heard it and its sender that it is kept: stored, or in a minion's spool. Broker and gateways are on fsync.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import type { Bench, Run } from '../bench.js';
import type { Cluster } from '../cluster.js';
import { EventSocket } from '../event-socket.js';
import { type Measured, usualAndSlow } from '../figures.js';
import { memoryBelow, processorTimeDuring } from '../processes.js';
import { RawLink } from '../raw-link.js';
import { sample } from '../sampling.js';
import { secondGateway } from '../second-gateway.js';

const FROM_MINION = 20_000;
const LOCAL = 60_000;
const SHARED = 5000;
const LISTENERS = 100;
const PACED = 400;
const PACE_MS = 10;
const LIMIT_MS = 60_000;

interface Places {
  readonly cluster: Cluster;
  readonly minion: string;
  readonly here: string;
  readonly there: string;
}

type Line = (n: number, tag: string) => object;

const onMaster: Line = (n, tag) => ({ fire: tag, data: { n, at: performance.now(), text: 'x'.repeat(64) } });
const onMinion: Line = (n, tag) => ({
  fire: 'fire_master',
  data: { tag, data: { n, at: performance.now(), text: 'x'.repeat(64) } },
});

export const events: Bench = {
  name: 'events',
  about: 'events from a minion to the master and on the master: rate, latency, 100 listeners, one that is stuck',
  measure: async (run) => {
    const cluster = await run.cluster();
    const second = await secondGateway(cluster.master, `${cluster.folder}-2`);
    run.atEnd(() => second.stop());
    const places = {
      cluster,
      minion: join(cluster.minion('a'), 'run', 'minion_event.sock'),
      here: join(cluster.master, 'run', 'master_event.sock'),
      there: join(second.sockDir, 'master_event.sock'),
    };
    const raw = await RawLink.open(run, cluster);
    const measured = [
      ...(await weighed(cluster, 'minion → master', FROM_MINION, () =>
        rate('minion → master', FROM_MINION, { from: places.minion, to: places.there, line: onMinion }),
      )),
      ...(await latency('minion → master at 100/s', { from: places.minion, to: places.here, line: onMinion }, raw)),
      ...(await weighed(cluster, 'on the master', LOCAL, () =>
        rate('on the master', LOCAL, { from: places.here, to: places.there, line: onMaster }),
      )),
      ...(await latency('on the master at 100/s', { from: places.here, to: places.here, line: onMaster }, raw)),
      ...(await manyListeners(places)),
      ...(await stuckListener(run, places)),
    ];
    await raw.close();
    await second.stop();
    return measured;
  },
};

interface Way {
  readonly from: string;
  readonly to: string;
  readonly line: Line;
}

/** What the cluster's processes spend on one event: the least disturbed figure on a machine that is busy. */
async function weighed(
  { pid }: Cluster,
  what: string,
  count: number,
  measure: () => Promise<readonly Measured[]>,
): Promise<readonly Measured[]> {
  const { done, spent } = await processorTimeDuring(pid, measure);
  const each = spent.map(({ name, ran }) => ({
    metric: `${what}: processor time of ${name}`,
    unit: 'µs/event',
    value: (ran * 1000) / count,
  }));
  return [...done, ...each.filter(({ value }) => value >= 1)];
}

let bursts = 0;

/** @throws {Error} When one is lost, doubled or out of order. */
async function rate(what: string, count: number, { from, to, line }: Way): Promise<readonly Measured[]> {
  const tag = nextTag();
  const listener = await EventSocket.open(to);
  await listener.subscribe(tag);
  const sender = await EventSocket.open(from);
  const began = performance.now();
  for (let n = 0; n < count; n += 1) if (!sender.write(line(n, tag))) await sender.drained();
  await Promise.all([sender.reached(count, LIMIT_MS), listener.reached(count, LIMIT_MS)]);
  const seconds = (performance.now() - began) / 1000;
  checkOrder(listener, count);
  sender.close();
  listener.close();
  return [
    { metric: `${what}: stored, and heard at the other gateway`, unit: 'events/s', value: count / seconds },
    { metric: `${what}: lost of ${String(count)}`, unit: '', value: count - listener.heard.length },
  ];
}

/** Between two events the bare broker is asked once: a machine that has rested takes longer for that, too. */
async function latency(what: string, { from, to, line }: Way, raw: RawLink): Promise<readonly Measured[]> {
  const tag = nextTag();
  const listener = await EventSocket.open(to);
  await listener.subscribe(tag);
  const sender = await EventSocket.open(from);
  const rawTimes: number[] = [];
  for (let n = 0; n < PACED; n += 1) {
    sender.write(line(n, tag));
    await pause(PACE_MS / 2);
    rawTimes.push(...(await sample({ count: 1, limitMs: LIMIT_MS }, () => raw.once())));
    await pause(PACE_MS / 2);
  }
  await listener.reached(PACED, LIMIT_MS);
  const times = listener.heard.map((event, index) => (listener.at[index] ?? 0) - (inner(event).at ?? 0));
  sender.close();
  listener.close();
  return usualAndSlow(`${what}: `, times, rawTimes);
}

async function manyListeners({ here }: Places): Promise<readonly Measured[]> {
  const tag = nextTag();
  const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => EventSocket.open(here)));
  await Promise.all(listeners.map((listener) => listener.subscribe(tag)));
  const sender = await EventSocket.open(here);
  const began = performance.now();
  for (let n = 0; n < SHARED; n += 1) if (!sender.write(onMaster(n, tag))) await sender.drained();
  await Promise.all(listeners.map((listener) => listener.reached(SHARED, LIMIT_MS)));
  const seconds = (performance.now() - began) / 1000;
  for (const listener of listeners) checkOrder(listener, SHARED);
  for (const socket of [...listeners, sender]) socket.close();
  return [
    {
      metric: `on the master to ${String(LISTENERS)} listeners: handed on`,
      unit: 'events/s',
      value: (SHARED * LISTENERS) / seconds,
    },
  ];
}

/** One that reads nothing: the others notice nothing, and the gateway does not grow. */
async function stuckListener(run: Run, places: Places): Promise<readonly Measured[]> {
  const stuck = await EventSocket.open(places.here);
  await stuck.subscribe('', 10_000);
  stuck.stick();
  await rate('warm', LOCAL, { from: places.here, to: places.here, line: onMaster });
  const before = gatewayMb(places.cluster);
  const [measured] = await rate('on the master beside a stuck listener', LOCAL, {
    from: places.here,
    to: places.here,
    line: onMaster,
  });
  const grown = gatewayMb(places.cluster) - before;
  run.note(`the gateway had ${String(Math.round(before))} MB with a stuck listener`);
  stuck.close();
  return [
    ...(measured === undefined ? [] : [{ ...measured, metric: 'on the master beside a stuck listener: heard' }]),
    { metric: `gateway: memory grown by ${String(LOCAL)} events with a stuck listener`, unit: 'MB', value: grown },
  ];
}

function gatewayMb({ pid }: Cluster): number {
  return memoryBelow(pid).find(({ name }) => name === 'master-gateway')?.rss ?? 0;
}

function checkOrder(listener: EventSocket, count: number): void {
  if (listener.heard.length !== count)
    throw new Error(`${String(listener.heard.length)} events were heard, not ${String(count)}`);
  listener.heard.forEach((event, index) => {
    if (inner(event).n !== index) throw new Error(`event ${String(index)} is ${JSON.stringify(event)}`);
  });
}

/** Salt's payload of a minion's event has the data one level deeper. */
function inner({ data }: EventSocket['heard'][number]) {
  return data.data ?? data;
}

function nextTag(): string {
  bursts += 1;
  return `bench/${String(bursts)}/`;
}
