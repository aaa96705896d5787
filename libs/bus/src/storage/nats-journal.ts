/** The journal on JetStream: one stream, read by ordered consumers. */
import { DiscardPolicy, JetStreamApiError, jetstreamManager, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { messageOf } from '@natrium/model';
import type { NatsTransport } from '../nats/nats-transport.js';
import { type Journal, type JournalMessage, type ReadFrom, type Reading, Unstorable } from '../ports/journal.js';
import { NANOS_PER_MS, NO_STREAM } from '../streams/make-bucket.js';
import { publisherOf, unlessTaken } from '../streams/stream-publisher.js';
import { AHEAD, StreamReading } from '../streams/stream-reading.js';
import { type Patience, whenPlaced } from '../streams/when-placed.js';

export interface JournalOptions {
  readonly name: string;
  /** A subject with a wildcard for the sender. */
  readonly subjects: string;
  readonly replicas: number;
  /** Milliseconds after which a message is dropped. */
  readonly keepMs: number;
  /** Bytes at each node of the broker, beyond which the oldest messages are dropped. A broker without so much room is asked for half of it, and so on. */
  readonly maxBytes: number;
  /** With a broker whose nodes are still starting; without it the first try counts. */
  readonly patience?: Patience | undefined;
}

/** Room for the condition, which the broker counts as a part of the message. */
const HEADERS = 256;
/** The stream was made meanwhile, with other settings. */
const OTHER_SETTINGS = 10_058;
/** No room: said by a single node, and by a cluster of which no node has enough. */
const NO_ROOM = 10_047;
const NO_NODE = 10_005;
/** A journal with less is none. */
const LEAST_BYTES = 64 << 20;

class NoRoom extends Error {
  override readonly name = 'NoRoom';
  readonly code = 'ERR_NO_ROOM';
  constructor(stream: string, bytes: number, cause: unknown) {
    super(
      `the broker has no room for the stream ${stream}, which takes ${String(bytes)} bytes at least (${messageOf(cause)}): make room on its disk or raise its max_file, restart it, then start this again`,
      { cause },
    );
  }
}

export async function openJournal(transport: NatsTransport, options: JournalOptions): Promise<Journal> {
  await whenPlaced(options.name, options.patience, () => makeStream(transport, options));
  return new NatsJournal(options.name, transport, AHEAD, async () => {
    await makeStream(transport, options);
    transport.alert(`the stream ${options.name} was gone and is made anew: what it held is lost`);
  });
}

type Settings = Pick<StreamConfig, 'subjects' | 'num_replicas' | 'max_age' | 'max_bytes' | 'discard'>;

async function makeStream(transport: NatsTransport, options: JournalOptions): Promise<void> {
  const { name, maxBytes } = options;
  const now = await configNow(transport, name);
  // A journal that is there keeps at least the bytes that it has, even where there is no room for more.
  const least = Math.max(LEAST_BYTES, Math.min(now?.max_bytes ?? 0, maxBytes));
  for (let bytes = maxBytes; ; bytes = Math.max(Math.floor(bytes / 2), least)) {
    try {
      await (now === undefined
        ? makeAnew(transport, options, bytes)
        : setAnew(transport, now, settingsOf(options, bytes)));
      if (bytes < maxBytes) transport.alert(`the stream ${name} keeps at most ${String(bytes)} bytes, not ${String(maxBytes)}: the broker has no room for more`); // prettier-ignore
      return;
    } catch (cause) {
      const isFull = hasNoRoom(cause);
      if (isFull && bytes > least) continue;
      if (now !== undefined) tellUnchanged(transport, now, settingsOf(options, maxBytes), cause);
      else if (await isMadeMeanwhile(transport, name, cause)) await makeStream(transport, options);
      else throw isFull ? new NoRoom(name, least, cause) : cause;
      return;
    }
  }
}

/** By another gateway, with other settings; it may have taken the room for that. */
async function isMadeMeanwhile(transport: NatsTransport, name: string, cause: unknown): Promise<boolean> {
  if (cause instanceof JetStreamApiError && cause.code === OTHER_SETTINGS) return true;
  return hasNoRoom(cause) && (await configNow(transport, name)) !== undefined;
}

function settingsOf({ subjects, replicas, keepMs }: JournalOptions, maxBytes: number): Settings {
  return {
    subjects: [subjects],
    num_replicas: replicas,
    max_age: keepMs * NANOS_PER_MS,
    max_bytes: maxBytes,
    discard: DiscardPolicy.Old,
  };
}

/** undefined: there is none. */
async function configNow(transport: NatsTransport, name: string): Promise<StreamConfig | undefined> {
  const manager = await jetstreamManager(transport.connection, { checkAPI: false });
  try {
    return (await manager.streams.info(name)).config;
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.code === NO_STREAM) return undefined;
    throw cause;
  }
}

async function makeAnew(transport: NatsTransport, options: JournalOptions, maxBytes: number): Promise<void> {
  const { streams } = await jetstreamManager(transport.connection);
  await streams.add({ name: options.name, storage: StorageType.File, ...settingsOf(options, maxBytes) });
}

async function setAnew(transport: NatsTransport, now: StreamConfig, wanted: Settings): Promise<void> {
  const isAsWanted =
    now.num_replicas === wanted.num_replicas &&
    now.max_age === wanted.max_age &&
    now.max_bytes === wanted.max_bytes &&
    now.subjects.join() === wanted.subjects.join();
  if (isAsWanted) return;
  const { streams } = await jetstreamManager(transport.connection);
  await streams.update(now.name, wanted);
}

/** A broker with users lets nobody change a stream: the operator does, and until then it stays as it is. */
function tellUnchanged(
  transport: NatsTransport,
  { name, max_age: maxAge, max_bytes: maxBytes }: StreamConfig,
  wanted: Settings,
  cause: unknown,
): void {
  const isBounded = maxBytes > 0;
  const bound = isBounded ? `at most ${String(maxBytes)} bytes` : 'however many bytes that are';
  const edit = `nats stream edit ${name} --max-bytes=${String(wanted.max_bytes)} --max-age=${String(wanted.max_age / NANOS_PER_MS / 1000)}s`;
  const sentence = `the stream ${name} stays as it is, and keeps messages for ${String(maxAge / NANOS_PER_MS)} ms, ${bound}: its new settings were refused (${messageOf(cause)})`;
  const mend = `${edit}, by a user of the broker's account (docs/operations.md#recover)`;
  if (isBounded) transport.notice(`${sentence}; to have them: ${mend}`);
  else transport.alert(`${sentence}, and it may fill the disk: ${mend}`);
}

function hasNoRoom(cause: unknown): boolean {
  if (!(cause instanceof JetStreamApiError)) return false;
  return cause.code === NO_ROOM || (cause.code === NO_NODE && cause.message.includes('insufficient storage'));
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
    /** For whoever keeps it. */
    private readonly makeAnew?: () => Promise<void>,
  ) {}

  async append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    // The client does not even send it, and nobody would say so: it would count as a broker that takes no writes.
    const most = (this.transport.connection.info?.max_payload ?? Infinity) - HEADERS;
    if (value.length > most) throw new Unstorable(`larger than the ${String(most)} bytes that the broker takes`);
    return unlessTaken(publisherOf(this.transport).publish(subject, value, expectedLast));
  }

  async lastOn(subject: string): Promise<JournalMessage | undefined> {
    const { streams } = await jetstreamManager(this.transport.connection, { checkAPI: false });
    const asked = streams.getMessage(this.name, { last_by_subj: subject });
    const message = await asked.catch((cause: unknown) => this.#unlessGone(cause));
    if (message === null) return undefined;
    return { sequence: message.seq, subject: message.subject, value: message.data, behind: 0 };
  }

  /** Whoever writes asks for the last message after each write that is refused, and the next one is to find a stream again. */
  async #unlessGone(cause: unknown): Promise<null> {
    const isGone = cause instanceof JetStreamApiError && cause.code === NO_STREAM;
    if (!isGone || this.makeAnew === undefined) throw cause;
    await this.makeAnew();
    return null;
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
