/**
 * What an agent holds for itself alone once it has tidied up, with the Node of its image. V8 of that Node keeps what a collection has freed
 * unless it is told otherwise (ADR 11). Beside it an agent takes pages of Node's own program, which all containers of the image share.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { memoryBelow } from '../../bench/processes.js';
import type { Engine } from './engine.js';

/** Megabytes of 10⁶ bytes for each agent, where many run on one machine. */
const MOST_MB = 25;
/** It tidies up after ten seconds of rest, and after ten more: before that it may hold less, as it has done nothing yet. */
const RESTED_MS = 25_000;
const LATEST_MS = 45_000;
const LOOK_MS = 1000;

/** @returns Of each agent, in megabytes. @throws {Error} When one holds more after its time. */
export async function atRest(engine: Engine): Promise<readonly number[]> {
  const ids = await engine.containers('minion-agent');
  const pids = await Promise.all(ids.map((id) => engine.pidOf(id)));
  await pause(RESTED_MS);
  for (const end = performance.now() + LATEST_MS - RESTED_MS; ;) {
    const held = pids.map(privateOf);
    if (held.every((mb) => mb <= MOST_MB)) return held;
    const told = held.map((mb) => mb.toFixed(1)).join(', ');
    if (performance.now() > end) throw new Error(`an agent at rest holds more than ${String(MOST_MB)} MB: ${told}`);
    await pause(LOOK_MS);
  }
}

/** @param init The engine's own first process, whose one child the agent is. */
function privateOf(init: number): number {
  const [agent, another] = memoryBelow(init);
  if (agent === undefined || another !== undefined) throw new Error('a container of an agent runs one agent');
  return agent.private;
}
