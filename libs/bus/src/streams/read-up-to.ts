/** Reading a stream up to a message that is known to be there, at a node that may not have got it yet. */
import { TimeoutError } from '@nats-io/transport-node';

/** How long the next message is waited for: a node that is behind catches up within it, or cannot be read at. */
const NEXT_MS = 5000;

export interface Stoppable<T> extends AsyncIterable<T> {
  stop(): void;
}

/**
 * @param last The sequence to read up to. When that message was replaced meanwhile, the first one after it ends the reading.
 * @throws {TimeoutError} When nothing more comes before it.
 */
export async function* upTo<T extends { readonly seq: number }>(
  messages: Stoppable<T>,
  last: number,
): AsyncGenerator<T, void, undefined> {
  // A reader may take its time with a message.
  let isWaiting = true;
  const timer = setTimeout(() => {
    if (isWaiting) messages.stop();
  }, NEXT_MS);
  try {
    for await (const message of messages) {
      isWaiting = false;
      yield message;
      if (message.seq >= last) return;
      isWaiting = true;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
  throw new TimeoutError();
}
