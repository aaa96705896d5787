/**
 * Reads what a stream has between two sequences, one message after the other: what was read is the reader's to hold, however much there is.
 *
 * It is read with a consumer of its own, which is gone when the reading ends, also before all was read: the client library's own reading
 * leaves one behind for seconds each time, and a busy hour after a fail-over would make thousands.
 *
 * The broker puts a consumer on any node that has the stream, and that one may be behind, or lack for good what was written while it
 * started: how far to read is asked of the stream's leader, and so are the first few, which are all of most lists, and whatever the
 * consumer's node has not got in time.
 */
import {
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  type JsMsg,
  type MsgRequest,
  type StoredMsg,
} from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import type { NatsTransport } from '../nats/nats-transport.js';
import { ConsumerReading } from './consumer-reading.js';
import { upTo } from './read-up-to.js';
import { SOON_MS } from './stream-reading.js';
import { triedAnew } from './when-placed.js';

/** As a consumer or the leader tells a message. */
export type Told = Pick<JsMsg, 'subject' | 'headers' | 'data' | 'seq'>;

export interface Range {
  readonly subjects: readonly string[];
  /** Only what comes after this sequence, up to `last`. */
  readonly after: number;
  readonly last: number;
  /** How many messages may wait here for a slow reader; by the client library's own measure where it is left out. */
  readonly ahead?: number;
}

/** How many values are read one by one, which for so few costs less than a consumer. */
const FEW = 8;
/** Of small messages many are asked for at once, since each question costs time; of large ones no more than memory has room for. */
const AHEAD_BYTES = 4 << 20;
const [LEAST_AHEAD, MOST_AHEAD] = [16, 1024];

export class RangeReading {
  constructor(
    private readonly transport: NatsTransport,
    private readonly stream: string,
  ) {}

  /** As the stream's leader knows it. */
  newest(subject: string): Promise<Told | undefined> {
    return this.#message({ last_by_subj: subject });
  }

  /** All of one subject or pattern from a sequence on, oldest first. */
  async *under(subject: string, since: number): AsyncGenerator<Told, void, undefined> {
    const last = (await this.newest(subject))?.seq ?? 0;
    if (last === 0 || last < since) return;
    let after = since - 1;
    let [few, largest] = [0, 1];
    for await (const message of this.#atLeader(subject, { after, last })) {
      yield message;
      after = message.seq;
      few += 1;
      largest = Math.max(largest, message.data.length);
      if (few === FEW) break;
    }
    if (few < FEW || after >= last) return;
    const ahead = Math.min(Math.max(Math.floor(AHEAD_BYTES / largest), LEAST_AHEAD), MOST_AHEAD);
    yield* this.between({ subjects: [subject], after, last, ahead });
  }

  /** With one consumer for all subjects, of which no two may cover one. `last` is under one of them. */
  async *between({ subjects, after, last, ahead }: Range): AsyncGenerator<Told, void, undefined> {
    const { consumers } = jetstream(this.transport.connection, { timeout: SOON_MS });
    let read = after;
    const ask = () =>
      consumers.get(this.stream, {
        filter_subjects: [...subjects],
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: after + 1,
      });
    const messages = await ConsumerReading.begin(() => triedAnew(ask), ahead);
    try {
      for await (const message of upTo(messages, last)) {
        read = message.seq;
        yield message;
      }
      return;
    } catch (cause) {
      if (!(cause instanceof TimeoutError)) throw cause;
    } finally {
      messages.end();
    }
    const rest: Told[] = [];
    for (const subject of subjects)
      for await (const message of this.#atLeader(subject, { after: read, last })) rest.push(message);
    yield* rest.sort((a, b) => a.seq - b.seq);
  }

  /** One after the other. */
  async *#atLeader(subject: string, { after, last }: Pick<Range, 'after' | 'last'>): AsyncGenerator<Told> {
    for (let seq = Math.max(after, 0) + 1; seq <= last;) {
      const next = { seq, next_by_subj: subject };
      const message = await this.#message(next);
      if (message === undefined) return; // gone meanwhile
      yield message;
      seq = message.seq + 1;
    }
  }

  #message(which: MsgRequest): Promise<Told | undefined> {
    return triedAnew(async () => {
      const { streams } = await jetstreamManager(this.transport.connection, { checkAPI: false, timeout: SOON_MS });
      const message = await streams.getMessage(this.stream, which);
      return message === null ? undefined : toldBy(message);
    });
  }
}

function toldBy({ subject, header, data, seq }: StoredMsg): Told {
  return { subject, headers: header, data, seq };
}
