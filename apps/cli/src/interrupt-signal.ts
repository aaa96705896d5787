/**
 * Ctrl-C for whoever waits for it now. The signal itself is listened to from the first wait on: between two waits, as of a
 * batch, Node forgets one that has arrived and was not told yet when its only listener goes.
 */
interface Signals {
  readonly pid: number;
  on(signal: 'SIGINT', hear: () => void): unknown;
  off(signal: 'SIGINT', hear: () => void): unknown;
  kill(pid: number, signal: 'SIGINT'): unknown;
}

/** @returns the function that `Io` has; what it returns ends the wait. */
export function interruptsOf(signals: Signals): (callback: () => void) => () => void {
  const waiting = new Set<() => void>();
  let listens = false;

  const hear = () => {
    if (waiting.size > 0) {
      for (const callback of [...waiting]) callback();
      return;
    }
    // Nobody waits: it ends the process as if nobody ever had.
    listens = false;
    signals.off('SIGINT', hear);
    signals.kill(signals.pid, 'SIGINT');
  };

  return (callback) => {
    if (!listens) signals.on('SIGINT', hear);
    listens = true;
    waiting.add(callback);
    return () => void waiting.delete(callback);
  };
}
