/**
 * A broker's nodes as a test may begin with them: each is heard by the others. nats-server 2.10 may start deaf the other way
 * round (docs/operations.md#a-node-that-is-not-heard); such a node is started again, by the check that containers have.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { until } from '@natrium/testing';
import { inRoot } from './places.js';
import { runProgram } from './run-program.js';

export interface StartedNode {
  readonly name: string;
  /** Where it takes clients. */
  readonly url: string;
  /** Where it tells of itself: its `http`. */
  readonly monitor: string;
  /** Its supervisor starts it again. */
  readonly kill: () => void;
}

const CHECK = inRoot('containers/check-broker.mjs');
const UNHEARD = 2;
const LONG_MS = 200_000;
const EACH_MS = 50;

/** Resolves when every node has caught up and is heard; nodes without anything to say to each other are given something. */
export async function allHeard(nodes: readonly StartedNode[]): Promise<void> {
  if (nodes.length < 2) return;
  const over = new AbortController();
  const talk = talking(nodes, over.signal);
  try {
    await Promise.all(nodes.map(heard));
  } finally {
    over.abort();
    await talk;
  }
}

async function heard({ name, monitor, kill }: StartedNode): Promise<void> {
  await until(`${name} is heard by the other nodes`, async () => {
    const { code } = await runProgram(process.execPath, [CHECK, monitor]);
    if (code === UNHEARD) kill();
    return code === 0;
  }, LONG_MS); // prettier-ignore
}

/** What goes over routes only tells when much does: a stream on all of them takes a message every now and then. */
async function talking(nodes: readonly StartedNode[], over: AbortSignal): Promise<void> {
  const servers = nodes.map(({ url }) => url);
  const connection = await connect({ servers, waitOnFirstConnect: true, maxReconnectAttempts: -1 });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const name = `HEARD_BY_${String(nodes.length)}`;
  const stream = { name, subjects: [name], storage: StorageType.Memory, num_replicas: nodes.length };
  let isThere = false;
  while (!over.aborted) {
    try {
      if (!isThere) await manager.streams.add(stream);
      isThere = true;
      await jetstream(connection).publish(name);
    } catch {
      // Without a leader, or with its node just killed: again.
    }
    await pause(EACH_MS, undefined, { signal: over }).catch(() => undefined);
  }
  if (isThere) await manager.streams.delete(name).catch(() => undefined); // left behind, it holds next to nothing
  await connection.close();
}
