/** Whether a connection has read what was sent to it. */

/** When nothing is heard of the broker for so long, it has nothing in line for this process. */
const QUIET_MS = 1000;

/**
 * Resolves when `flushed` has settled, when nothing was heard for a second, or after `mostMs` milliseconds.
 *
 * @param heard How many messages were heard so far.
 */
export async function allRead(flushed: Promise<void>, heard: () => number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs;
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<void>((resolve) => {
    const look = (before: number) => {
      timer = setTimeout(() => {
        if (heard() === before || performance.now() >= end) resolve();
        else look(heard());
      }, QUIET_MS);
    };
    look(heard());
  });
  await Promise.race([flushed.catch(() => undefined), quiet]);
  clearTimeout(timer);
}
