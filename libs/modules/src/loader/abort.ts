/** Ends the waiting for a function when its call is aborted. The function itself hears of it by the same signal. */
import { outOfTime } from '@natrium/model';

class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** Settles as `running` does, or rejects as soon as `signal` aborts. */
export async function raceAbort<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(new Aborted('aborted'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([running, ended]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Nobody waits for it any more; a late rejection is not an error of this process.
    if (signal.aborted) running.catch(() => undefined);
  }
}

/** The sentence for a call that was ended from outside, with the reason if one was given. */
export function abortedText(fun: string, signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return outOfTime(fun);
  return typeof reason === 'string' ? `'${fun}' was ended: ${reason}` : `'${fun}' was ended before it was done`;
}
