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
const AGAIN_MS = 2000;

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

/** `work` begins when every node is heard; while it goes on, one after the other is looked at again, as an operator's timer does. */
export async function whileHeard<T>(nodes: readonly StartedNode[], work: () => Promise<T>): Promise<T> {
  await allHeard(nodes);
  const over = new AbortController();
  const looking = lookAgain(nodes, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await looking;
  }
}

async function lookAgain(nodes: readonly StartedNode[], over: AbortSignal): Promise<void> {
  for (;;) {
    for (const node of nodes) {
      await pause(AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      await look(node);
    }
  }
}

async function heard(node: StartedNode): Promise<void> {
  await until(`${node.name} is heard by the other nodes`, () => look(node), LONG_MS);
}

/** A node that is not heard is killed. @returns Whether it is known to be heard. */
async function look({ monitor, kill }: StartedNode): Promise<boolean> {
  const { code } = await runProgram(process.execPath, [CHECK, monitor]);
  if (code === UNHEARD) kill();
  return code === 0;
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
