/**
 * SIGTERM tells a process to finish what is under way and end: a service manager sends it, and waits. SIGINT, as from a person at
 * a terminal, and any second one tell it to end at once.
 */
import type { EventEmitter } from 'node:events';

/** @param stop Called once, with the signal's name; `atOnce` is aborted, then or later, when nothing is to be waited for. */
export function whenToldToStop(
  stop: (signal: string, atOnce: AbortSignal) => void,
  signals: Pick<EventEmitter, 'on'> = process,
): void {
  const hurry = new AbortController();
  let isTold = false;
  const hear = (signal: string) => {
    if (isTold || signal === 'SIGINT') hurry.abort();
    if (isTold) return;
    isTold = true;
    stop(signal, hurry.signal);
  };
  signals.on('SIGTERM', hear).on('SIGINT', hear);
}
