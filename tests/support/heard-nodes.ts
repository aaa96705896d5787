/**
 * A broker's nodes as a test may begin with them: each is heard by the others. nats-server 2.10 may start deaf the other way
 * round (docs/operations.md#a-node-that-is-not-heard); such a node is started again, by the check that containers have.
 */
import { setTimeout as pause } from 'node:timers/promises';
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
const AGAIN_MS = 2000;

/** Resolves when every node has caught up and is heard. */
export async function allHeard(nodes: readonly StartedNode[]): Promise<void> {
  if (nodes.length < 2) return;
  await Promise.all(nodes.map(heard));
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
