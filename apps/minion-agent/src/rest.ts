/**
 * What much work leaves behind goes when it is over: an agent is idle most of the time, and V8 collects nothing of one that
 * asks for nothing. The command that starts it has `--expose-gc` for this; without it only what is remembered goes.
 */
const LOOK_MS = 10_000;
/** Processor time within one look from which it was at work; an idle agent needs a tenth of it. */
const WORK_MS = 100;

export interface Remembering {
  /** Forgets what no party would accept any more. @returns How much is still remembered. */
  forgetEnded(): number;
}

/** @returns Stops looking. */
export function tidyAtRest(parts: readonly Remembering[]): () => void {
  let before = process.cpuUsage();
  // Coming in leaves as much behind as many jobs.
  let untidy = true;
  const look = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    if ((user + system) / 1000 > WORK_MS) {
      untidy = true;
      return;
    }
    if (!untidy) return;
    const kept = parts.reduce((sum, part) => sum + part.forgetEnded(), 0);
    globalThis.gc?.();
    untidy = kept > 0;
  }, LOOK_MS);
  look.unref();
  return () => {
    clearInterval(look);
  };
}
