/**
 * What a log says of messages that were not opened. A sender may send thousands a second of them, and each line would cost the disk more
 * than its message cost the sender, so the log counts them. What its sender mends by himself is no fault: a command that asks a second
 * replica, a service that has started anew.
 */
import type { OnOpenFailure } from '../asking/sealed-bus.js';
import { firstThenCounts } from './first-then-counts.js';

interface Log {
  warn(about: object, sentence: string): void;
  debug(about: object, sentence: string): void;
}

const SENTENCE = 'a message was not opened';

/** @returns Takes each such message: one of a closed set of reasons, and its subject. */
export function tellingUnopened(log: Log): OnOpenFailure {
  const isFirst = firstThenCounts((counts) => {
    log.warn({ counts }, 'more messages were not opened in the last minute');
  });
  return (reason, subject, isMended = false) => {
    if (!isMended && isFirst(reason)) log.warn({ reason, subject }, SENTENCE);
    else log.debug({ reason, subject }, SENTENCE);
  };
}
