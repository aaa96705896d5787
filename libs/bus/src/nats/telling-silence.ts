/** A broker that is not there is waited for as long as it takes; after this time the log says so. */
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
