/**
 * What a log says of messages that were not opened. A sender may send thousands a second of them, and each line would cost the disk more
 * than its message cost the sender. So the first of each reason is told and the others are counted; once a minute the log says how many
 * they were, until a minute passes without one. What its sender mends by himself is no fault: a command that asks a second replica, a
 * service that has started anew.
 */
import type { OnOpenFailure } from '../asking/sealed-bus.js';

interface Log {
  warn(about: object, sentence: string): void;
  debug(about: object, sentence: string): void;
}

const COUNTED_MS = 60_000;
const SENTENCE = 'a message was not opened';

/** @returns Takes each such message: one of a closed set of reasons, and its subject. */
export function tellingUnopened(log: Log): OnOpenFailure {
  const further = new Map<string, number>();
  const tellCounts = () => {
    const some = [...further].filter(([, count]) => count > 0);
    further.clear();
    if (some.length === 0) return;
    log.warn({ counts: Object.fromEntries(some) }, 'more messages were not opened in the last minute');
    for (const [reason] of some) further.set(reason, 0);
    setTimeout(tellCounts, COUNTED_MS).unref();
  };
  return (reason, subject, isMended = false) => {
    if (isMended) {
      log.debug({ reason, subject }, SENTENCE);
      return;
    }
    const count = further.get(reason);
    if (count === undefined) log.warn({ reason, subject }, SENTENCE);
    else log.debug({ reason, subject }, SENTENCE);
    if (further.size === 0) setTimeout(tellCounts, COUNTED_MS).unref();
    further.set(reason, count === undefined ? 0 : count + 1);
  };
}
