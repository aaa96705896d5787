/**
 * Salt's own sockets: whoever reads `…_pub.ipc` hears every event, what is written to `…_pull.ipc` is fired. Scripts that use
 * Salt's event library work with them as they are.
 *
 * Spec: docs/event-bus.md#salts-own-sockets.
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { messageOf } from '@natrium/model';
import type { EventFeed } from '../buses/bus.js';
import type { Origin } from '../event/event.js';
import { drained, listenAt, MAX_UNSETTLED, type UnixServer } from '../sockets/unix-server.js';
import { FrameReader, frameFor } from './frame.js';

export interface SaltSocketsOptions {
  readonly feed: EventFeed;
  /** Paths without `_pub.ipc` and `_pull.ipc`. */
  readonly base: string;
  readonly origin: Origin;
  /** Largest event in bytes. */
  readonly maxBytes: number;
  readonly onProblem: (problem: string, cause?: unknown) => void;
}

/** Where Salt's library looks for the bus of a minion; `hash` is Salt's `hash_type`. */
export function minionSocketBase(sockDir: string, id: string, hash: string): string {
  return join(sockDir, `minion_event_${createHash(hash).update(id).digest('hex').slice(0, 10)}`);
}

export function masterSocketBase(sockDir: string): string {
  return join(sockDir, 'master_event');
}

/** Both or none. @throws {Error} When one of them cannot be made. */
export async function serveSaltSockets(options: SaltSocketsOptions): Promise<UnixServer> {
  const { base } = options;
  const pub = await listenAt({ path: `${base}_pub.ipc` }, (socket) => {
    publish(options, socket).catch((cause: unknown) => {
      options.onProblem('a reader of the event bus was let go', cause);
      socket.destroy();
    });
  });
  const pull = await listenAt({ path: `${base}_pull.ipc` }, (socket) => {
    receive(options, socket);
  }).catch((cause: unknown) => {
    pub.close();
    throw cause;
  });
  return {
    inPlace: () => pub.inPlace() && pull.inPlace(),
    close: () => {
      pub.close();
      pull.close();
    },
  };
}

async function publish({ feed }: SaltSocketsOptions, socket: Socket): Promise<void> {
  socket.resume(); // readers send nothing
  const listening = feed.subscribe();
  socket.on('close', () => {
    listening.close();
  });
  for (;;) {
    const events = await listening.take();
    if (events === undefined) return;
    if (!socket.write(Buffer.concat(events.map(frameFor)))) await drained(socket);
  }
}

function receive({ feed, origin, maxBytes, onProblem }: SaltSocketsOptions, socket: Socket): void {
  let refused: unknown[] = [];
  const reader = new FrameReader(maxBytes, (cause) => refused.push(cause));
  let unsettled = 0;
  // Salt's protocol has no answer: what cannot be fired is only logged.
  function notFired(cause: unknown): void {
    onProblem(`an event of this host was not fired: ${messageOf(cause)}`);
  }
  /** One line for all that came at once: there may be thousands. */
  function tellRefused(): void {
    const [first, ...more] = refused;
    refused = [];
    if (first === undefined) return;
    const others = more.length === 0 ? '' : `; nor were ${String(more.length)} that came with it`;
    onProblem(`an event of this host was not fired: ${messageOf(first)}${others}`);
  }
  const settle = () => {
    unsettled -= 1;
    if (unsettled < MAX_UNSETTLED / 2 && socket.isPaused()) socket.resume();
  };
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const { tag, data } of reader.take(chunk)) {
        unsettled += 1;
        feed.fire(tag, data, origin).then(settle, (cause: unknown) => {
          settle();
          notFired(cause);
        });
      }
      if (unsettled >= MAX_UNSETTLED) socket.pause();
    } catch (cause) {
      onProblem('what came on the event socket is no event', cause);
      socket.destroy();
    } finally {
      tellRefused();
    }
  });
}
