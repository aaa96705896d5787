import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds. An abort ends it early, and is no error. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
