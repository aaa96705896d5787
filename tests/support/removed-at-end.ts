/** What the shown programs, the demo and the tour, do about the processes that they start. */
const INTERRUPTED = 130;

/** Runs to its end, and removes `shown` whatever happens, also on a signal. @returns the exit code. */
export async function removedAtEnd(
  name: string,
  shown: { remove(): Promise<void> },
  run: () => Promise<number>,
): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void shown.remove().finally(() => process.exit(INTERRUPTED));
    });
  }
  try {
    return await run();
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await shown.remove();
  }
}
