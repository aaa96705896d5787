/** A limit for work that may take too long, or never end. */

/** What stands for the result of work that took too long. */
export const LATE = Symbol('late');

/**
 * Waits for work, but no longer than a limit. Work that is given up goes on; nobody hears what comes of it, not even a failure.
 *
 * @param ms The limit, in milliseconds.
 * @param atOnce Gives the work up as soon as it is aborted.
 * @returns The work's result; `LATE` when it was given up.
 * @throws What the work throws in time.
 */
export async function within<T>(ms: number, work: Promise<T>, atOnce?: AbortSignal): Promise<T | typeof LATE> {
  let giveUp: () => void = () => undefined;
  const givenUp = new Promise<typeof LATE>((resolve) => {
    giveUp = () => {
      resolve(LATE);
    };
  });
  const timer = setTimeout(giveUp, ms);
  atOnce?.addEventListener('abort', giveUp);
  if (atOnce?.aborted === true) giveUp();
  try {
    return await Promise.race([givenUp, work]);
  } finally {
    clearTimeout(timer);
    atOnce?.removeEventListener('abort', giveUp);
  }
}
