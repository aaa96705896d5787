import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `ms` milliseconds. An abort ends the pause early, and is no error. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
