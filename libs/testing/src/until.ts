/** Waiting for what tells nobody that it has changed: a process that ends, a file, an answer that has to be asked for. */
import { setTimeout as pause } from 'node:timers/promises';

/** What a test waits for anything at the most. Far beyond what a busy machine needs: it only keeps a test that fails from hanging. */
export const PATIENCE_MS = 45_000;
const LOOK_MS = 20;

/**
 * Looks again and again, and resolves with the first thing that `look` gives but `undefined` or `false`.
 *
 * @param what Named when it does not come.
 * @throws {Error} When it has not come within `ms`.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ms = PATIENCE_MS,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    // A machine that stood still has used up the time and looked at nothing: so there is a look after it.
    const isLast = performance.now() > end;
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (isLast) throw new Error(`${what}: not within ${String(ms / 1000)} s`);
    await pause(LOOK_MS);
  }
}
