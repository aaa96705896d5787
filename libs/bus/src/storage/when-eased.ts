/** When to write what comes in: soon, but of a flood when it eases. */
import { setTimeout as pause } from 'node:timers/promises';

/** So many within one window are a flood. To write the first of them would delay hearing the last. */
const FLOOD = 256;

export interface Easing {
  /** Milliseconds for which what comes is gathered. */
  readonly windowMs: number;
  /** For so many windows a flood is waited for to ease. */
  readonly maxWindows: number;
  /** By the clock, when it is left out. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * What nobody waits for is gathered for a window before it is written, since each write costs the broker an fsync. A flood is gathered for
 * up to half a second: the caller of a job to thousands hears the last return before the first is stored, or told as an event.
 */
export const GATHERED = { windowMs: 50, maxWindows: 10 } as const satisfies Easing;

/**
 * Resolves after one window in which there was no flood, or after the last.
 *
 * @param count Tells how many have come until now.
 */
export async function whenEased(count: () => number, { windowMs, maxWindows, wait = pause }: Easing): Promise<void> {
  for (let windows = 0; windows < maxWindows; windows += 1) {
    const before = count();
    await wait(windowMs);
    if (count() - before < FLOOD) return;
  }
}
