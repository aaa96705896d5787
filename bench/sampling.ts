/** Loops that measure: bounded in count and in time, whichever ends first. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Bound {
  readonly count: number;
  readonly limitMs: number;
}

/** @returns Milliseconds of each call, in order. */
export async function sample({ count, limitMs }: Bound, once: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (const until = performance.now() + limitMs; times.length < count && performance.now() < until;) {
    const began = performance.now();
    await once();
    times.push(performance.now() - began);
  }
  return times;
}

/** What a call leaves behind (returns being stored, acknowledgements) has ended by then, and is not weighed as raw. */
const SETTLE_MS = 15;
/** Calls of one kind before it is the other's turn. */
const BLOCK = 20;

export interface Interleaved {
  readonly raw: readonly number[];
  readonly ours: readonly number[];
}

/** Blocks of both by turns, so that what else the machine does weighs on both alike. */
export async function interleave(
  { count, limitMs }: Bound,
  raw: () => Promise<void>,
  ours: () => Promise<void>,
): Promise<Interleaved> {
  const times: { readonly raw: number[]; readonly ours: number[] } = { raw: [], ours: [] };
  for (const until = performance.now() + limitMs; times.ours.length < count && performance.now() < until;) {
    await pause(SETTLE_MS);
    const left = { count: BLOCK, limitMs: until - performance.now() };
    times.raw.push(...(await sample(left, raw)));
    times.ours.push(...(await sample(left, ours)));
  }
  return times;
}

export interface Throughput {
  /** Milliseconds of each call. */
  readonly times: readonly number[];
  readonly perSecond: number;
}

/** `lanes` loops side by side, each with one call under way at any time. */
export async function inFlight(
  { count, limitMs }: Bound,
  lanes: number,
  once: (lane: number) => Promise<void>,
): Promise<Throughput> {
  const times: number[] = [];
  const began = performance.now();
  let left = count;
  const loop = async (lane: number) => {
    while (left > 0 && performance.now() - began < limitMs) {
      left -= 1;
      const sent = performance.now();
      await once(lane);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => loop(lane)));
  return { times, perSecond: (times.length * 1000) / (performance.now() - began) };
}
