/**
 * A process of simulated minions, started by `natriumctl swarm`: `node swarm.mjs -c DIR`, with a minion's configuration that all of
 * them share. It does what it is told over the channel to its parent, and ends with it.
 */
import { parseArgs } from 'node:util';
import { Clock } from '@natrium/bus';
import type { SwarmNews, SwarmOrder, SwarmShare } from '@natrium/client';
import { loadMinionConfig, problemSentence } from '@natrium/config';
import { sodiumReady } from '@natrium/envelope';
import { messageOf } from '@natrium/model';
import { pino } from 'pino';
import { ClusterTrust } from './identity/cluster-trust.js';
import { Gate } from './swarm/gate.js';
import { Hive } from './swarm/hive.js';

const PROGRESS_MS = 250;
/** Bytes. V8 looks through so much, the heaps of thousands of minions, for half a second: better at rest than within the next job. */
const LARGE_HEAP = 256e6;

const { values } = parseArgs({ options: { config: { type: 'string', short: 'c', default: '' } } });
const loaded = loadMinionConfig(values.config);
if (!loaded.ok) {
  process.stderr.write(`${loaded.error.map(problemSentence).join('\n')}\n`);
  process.exit(1);
}
const { config } = loaded.value;
const log = pino({ level: 'error' }, { write: (line) => process.stderr.write(line) });
let hive: Hive | undefined;
let toldAt = 0;

const gate = new Gate(() => hive?.size ?? 0, {
  onHeld: (what, bytes) => {
    tell({ type: 'held', what, at: now(), bytes });
  },
});

// Whoever started this process is gone.
process.on('disconnect', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
process.on('SIGTERM', () => process.exit(0));
process.on('message', (order: SwarmOrder) => {
  const at = now();
  obey(order).then(
    () => {
      tell({ type: 'done', order: order.type, at });
    },
    (error: unknown) => {
      tell({ type: 'failed', sentence: messageOf(error) });
    },
  );
});

async function obey(order: SwarmOrder): Promise<void> {
  switch (order.type) {
    case 'begin':
      await begin(order.share);
      return;
    case 'come':
      await hive?.come();
      return;
    case 'hold':
      gate.hold();
      return;
    case 'work':
      gate.work();
      return;
    case 'plain':
      gate.plain(order.bytes);
      return;
    case 'rest':
      await hive?.unstored.none();
      if (process.memoryUsage().heapUsed > LARGE_HEAP) globalThis.gc?.();
      return;
    case 'open':
      gate.open();
  }
}

async function begin(share: SwarmShare): Promise<void> {
  await sodiumReady();
  const trust = new ClusterTrust(config, (problem, cause) => {
    log.error({ err: cause }, problem);
  });
  const about = { config, trust, clock: new Clock(config.clock_skew * 1000), log };
  hive = new Hive(about, share, gate, { onLive, onLost });
  tell({ type: 'keys', keys: hive.keys() });
}

function onLive(live: number): void {
  if (now() < toldAt + PROGRESS_MS) return;
  toldAt = now();
  tell({ type: 'progress', live });
}

function onLost(id: string): void {
  tell({ type: 'lost', id });
}

function tell(news: SwarmNews): void {
  if (process.connected) process.send?.(news);
}

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
