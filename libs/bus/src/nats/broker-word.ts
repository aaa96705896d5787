/**
 * The broker's own word that nobody listens: a message without a body whose headers say 503.
 *
 * Headers can be as large as a message may be, and whoever may publish writes them. The client library reads them in a time that grows with
 * the square of their number (measured: five seconds for 64 KiB), and throws at some: so only those
 * are read that are as short as the broker's own.
 */
import type { Msg } from '@nats-io/transport-node';

const NO_RESPONDERS = 503;
/** The broker's are 16 bytes; newer ones add the subject that was asked. */
const MOST_BYTES = 512;

export function saysNobodyListens(message: Msg): boolean {
  if (message.data.length > 0 || headerBytes(message) > MOST_BYTES) return false;
  try {
    return message.headers?.code === NO_RESPONDERS;
  } catch {
    return false; // the broker does not write what cannot be read
  }
}

/** Of a message without a body. The library's messages know their size, though their type does not say so. */
function headerBytes(message: Msg & { size?(): number }): number {
  return (message.size?.() ?? Infinity) - message.subject.length - (message.reply?.length ?? 0);
}
