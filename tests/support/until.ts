/** Waits for what no event tells: a file of another process, a line of its log. */
const TRIES = 600;
const PAUSE_MS = 50;

/** @throws {Error} When it has not happened within half a minute. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error('it did not happen within half a minute');
}
