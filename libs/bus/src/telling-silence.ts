/** A broker that is not there is waited for, however long that takes: whoever looks into the log is told what is waited for. */
const SILENT_MS = 3000;

/** Tells once when `waiting` is not over after `silentMs` milliseconds; what comes of it is its own. */
export async function tellingSilence<T>(waiting: Promise<T>, tell: () => void, silentMs = SILENT_MS): Promise<T> {
  const silent = setTimeout(tell, silentMs);
  try {
    return await waiting;
  } finally {
    clearTimeout(silent);
  }
}
