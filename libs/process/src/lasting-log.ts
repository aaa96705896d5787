/**
 * A log that cannot be written, as on a full disk, ends nobody. Without this the error of a write ends the process, whose last act is to
 * write what is left: in vain, and for ever, so that it neither works nor ends nor hears a signal.
 */

/** Of pino's destinations. */
export interface LogStream {
  on(event: 'error' | 'write', listener: () => void): unknown;
  flushSync(): void;
}

/** Lines that wait until they can be written, in bytes; what comes when so much waits is lost. */
export const WAITING_LOG_BYTES = 1 << 20;

/** What waits is written with the next line that can be; nobody waits for it at the end. */
export function lastingLog<T extends LogStream>(stream: T): T {
  const flushSync = stream.flushSync.bind(stream);
  let isWritable = true;
  stream.on('error', () => {
    isWritable = false;
  });
  stream.on('write', () => {
    isWritable = true;
  });
  stream.flushSync = () => {
    if (isWritable) flushSync();
  };
  return stream;
}
