/** The journal on JetStream: one stream, read by ordered consumers. */
import { jetstreamManager, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { type Journal, type JournalMessage, type ReadFrom, type Reading, Unstorable } from './journal.js';
import { publisherOf, unlessTaken } from './nats-store.js';
import type { NatsTransport } from './nats-transport.js';
import { AHEAD, StreamReading } from './stream-reading.js';
import { type Patience, whenPlaced } from './when-placed.js';

export interface JournalOptions {
  readonly name: string;
  /** A subject with a wildcard for the sender. */
  readonly subjects: string;
  readonly replicas: number;
  /** Milliseconds after which a message is dropped. */
  readonly keepMs: number;
  /** With a broker whose nodes are still starting; without it the first try counts. */
  readonly patience?: Patience | undefined;
}

const NANOS_PER_MS = 1_000_000;
/** Room for the condition, which the broker counts as a part of the message. */
const HEADERS = 256;
const NO_MESSAGE = 404;
const NO_MESSAGE_FOUND = 10_037;

export async function openJournal(transport: NatsTransport, options: JournalOptions): Promise<Journal> {
  await whenPlaced(options.name, options.patience, () => makeStream(transport, options));
  return new NatsJournal(options.name, transport);
}

async function makeStream(transport: NatsTransport, options: JournalOptions): Promise<void> {
  const manager = await jetstreamManager(transport.connection);
  const config = {
    subjects: [options.subjects],
    num_replicas: options.replicas,
    max_age: options.keepMs * NANOS_PER_MS,
  };
  try {
    await manager.streams.add({ name: options.name, storage: StorageType.File, ...config });
  } catch (cause) {
    // It is there with other settings, or that is why it could not be made.
    if (!(await exists(transport, options.name))) throw cause;
    await setAnew(transport, options.name, config);
  }
}

async function exists(transport: NatsTransport, name: string): Promise<boolean> {
  const manager = await jetstreamManager(transport.connection, { checkAPI: false });
  return manager.streams.info(name).then(
    () => true,
    () => false,
  );
}

/** A broker with users lets nobody change a stream: the operator does, and until then it stays as it is. */
async function setAnew(transport: NatsTransport, name: string, config: Partial<StreamConfig>): Promise<void> {
  const manager = await jetstreamManager(transport.connection);
  try {
    await manager.streams.update(name, config);
  } catch (cause) {
    const { config: now } = await manager.streams.info(name);
    transport.notice(`the stream ${name} stays as it is, and keeps messages for ${String(now.max_age / NANOS_PER_MS)} ms: its new settings were refused`, cause); // prettier-ignore
  }
}

/**
 * A journal that another service keeps: it need not be there yet when reading begins.
 *
 * @param ahead Messages that may wait here for a slow reader.
 */
export function journalToRead(transport: NatsTransport, name: string, ahead = AHEAD): Journal {
  return new NatsJournal(name, transport, ahead);
}

class NatsJournal implements Journal {
  constructor(
    readonly name: string,
    private readonly transport: NatsTransport,
    readonly ahead = AHEAD,
  ) {}

  async append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    // The client does not even send it, and nobody would say so: it would count as a broker that takes no writes.
    const most = (this.transport.connection.info?.max_payload ?? Infinity) - HEADERS;
    if (value.length > most) throw new Unstorable(`larger than the ${String(most)} bytes that the broker takes`);
    return unlessTaken(publisherOf(this.transport).publish(subject, value, expectedLast));
  }

  async lastOn(subject: string): Promise<JournalMessage | undefined> {
    const manager = await jetstreamManager(this.transport.connection, { checkAPI: false });
    try {
      const message = await manager.streams.getMessage(this.name, { last_by_subj: subject });
      if (message === null) return undefined;
      return { sequence: message.seq, subject: message.subject, value: message.data, behind: 0 };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async bounds(): Promise<{ readonly first: number; readonly last: number }> {
    const manager = await jetstreamManager(this.transport.connection, { checkAPI: false });
    const { state } = await manager.streams.info(this.name);
    return { first: state.first_seq, last: state.last_seq };
  }

  read(from: ReadFrom, onMessage: (message: JournalMessage) => Promise<void> | void, onNothing?: () => void): Reading {
    return new StreamReading(this.transport, {
      stream: this.name,
      from,
      ahead: this.ahead,
      onMessage: ({ seq: sequence, subject, data: value, info }) =>
        onMessage({ sequence, subject, value, behind: info.pending }),
      onNothing,
    });
  }
}

function isNotFound(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === NO_MESSAGE || code === NO_MESSAGE_FOUND;
}
