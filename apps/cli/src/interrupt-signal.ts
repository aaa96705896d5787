/**
 * Signals that would end the process, for whoever waits for one now. They are listened to from the first wait on: between two waits,
 * as of a batch, Node forgets one that has arrived and was not told yet when its only listener goes.
 */
import type { EndSignal } from './ports.js';

interface Signals {
  readonly pid: number;
  on(signal: EndSignal, hear: (signal: EndSignal) => void): unknown;
  off(signal: EndSignal, hear: (signal: EndSignal) => void): unknown;
  kill(pid: number, signal: EndSignal): unknown;
}

/** @returns the function that `Io` has; what it returns ends the wait. */
export function heardOf(
  signals: Signals,
  names: readonly EndSignal[],
): (callback: (signal: EndSignal) => void) => () => void {
  const waiting = new Set<(signal: EndSignal) => void>();
  let listens = false;

  const hear = (signal: EndSignal) => {
    if (waiting.size > 0) {
      for (const callback of [...waiting]) callback(signal);
      return;
    }
    // Nobody waits: it ends the process as if nobody ever had.
    listens = false;
    for (const name of names) signals.off(name, hear);
    signals.kill(signals.pid, signal);
  };

  return (callback) => {
    if (!listens) for (const name of names) signals.on(name, hear);
    listens = true;
    waiting.add(callback);
    return () => void waiting.delete(callback);
  };
}
