/** From what a tap heard of one call to how long each step of it took. */
import { mean, type Measured, median } from './figures.js';
import type { Tapped } from './tap.js';

/** A step lasts from the mark before it to its own: the first or last message of a kind in the call. */
export interface Step {
  readonly name: string;
  readonly until: string;
  readonly take: 'first' | 'last';
}

/** One call as the tap and the caller saw it. */
export interface TappedCall {
  readonly began: number;
  readonly ended: number;
  /** All since the call before: what that one left to be written is in it. */
  readonly heard: readonly Tapped[];
}

/** @returns Milliseconds of each step and of the way back to the caller; undefined when a mark is missing or out of order. */
export function stepTimes(steps: readonly Step[], { began, ended, heard }: TappedCall): readonly number[] | undefined {
  const times: number[] = [];
  const during = heard.filter(({ at }) => at >= began);
  let before = began;
  for (const { until, take } of steps) {
    const found =
      take === 'first' ? during.find(({ kind }) => kind === until) : during.findLast(({ kind }) => kind === until);
    if (found === undefined || found.at < before) return undefined;
    times.push(found.at - before);
    before = found.at;
  }
  // The tap may hear the last message a little after the caller did.
  return [...times, Math.max(0, ended - before)];
}

/** The median of each step over all calls, and what one call costs the broker: a mean, since what is written in groups is in few of them. */
export function breakdown(
  steps: readonly Step[],
  back: string,
  calls: readonly TappedCall[],
  raw: number,
): readonly Measured[] {
  const usable = calls.flatMap((call) => {
    const times = stepTimes(steps, call);
    return times === undefined ? [] : [times];
  });
  if (usable.length < calls.length / 2) {
    const kinds = [...new Set(calls.flatMap(({ heard }) => heard.map(({ kind }) => kind)))].join(', ');
    throw new Error(`the tap knows the way of only ${usable.length} of ${calls.length} calls; it heard ${kinds}`);
  }
  const of = (metric: string, value: number): Measured => ({ metric, unit: 'ms', value, raw });
  const names = [...steps.map(({ name }) => name), back];
  return [
    ...names.map((name, at) => of(`step ${at + 1}: ${name}`, median(usable.map((times) => times[at] ?? 0)))),
    of('whole call while tapped, p50', median(calls.map(({ began, ended }) => ended - began))),
    { metric: 'messages on the broker per call', unit: '', value: mean(calls.map(({ heard }) => heard.length)) },
    { metric: 'bytes on the broker per call', unit: 'B', value: mean(calls.map(bytesOf)) },
    { metric: 'JetStream writes per call', unit: '', value: mean(calls.map(writesOf)) },
  ];
}

function bytesOf({ heard }: TappedCall): number {
  return heard.reduce((sum, { bytes }) => sum + bytes, 0);
}

function writesOf({ heard }: TappedCall): number {
  return heard.filter(({ kind }) => kind.startsWith('write ') && !kind.endsWith(' answer')).length;
}
