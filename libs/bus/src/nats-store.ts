/** The store on JetStream: one key-value bucket for each class. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  DeliverPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  type JsMsg,
  type StoredMsg,
  type StreamAPI,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { TimeoutError } from '@nats-io/transport-node';
import { ConsumerReading } from './consumer-reading.js';
import { type BucketSettings, makeBucket } from './make-bucket.js';
import { fitsKey } from './key-pattern.js';
import type { NatsTransport } from './nats-transport.js';
import type { Entry, Following, Store } from './store.js';
import { upTo } from './read-up-to.js';
import { AHEAD, SOON_MS, StreamReading } from './stream-reading.js';
import { publisherOf, type StreamPublisher, unlessTaken, WRONG_LAST_SEQUENCE } from './stream-publisher.js';
import { type Patience, triedAnew, whenPlaced } from './when-placed.js';

export interface BucketOptions extends BucketSettings {
  /** With a broker whose nodes are still starting; without it the first try counts. */
  readonly patience?: Patience | undefined;
}

type Change = Entry | { readonly key: string; readonly value: undefined };

/** As a consumer or the leader tells a message. */
type Told = Pick<JsMsg, 'subject' | 'headers' | 'data' | 'seq'>;

interface Range {
  readonly patterns: readonly string[];
  readonly after: number;
  readonly last: number;
}

/** How many values are read one by one, which for so few costs less than a consumer. */
const FEW = 8;
/** Marks a deletion. */
const OPERATION = 'KV-Operation';
const EVERY = '>';
/** How long a new follower waits for values that were there, before it looks whether they still are. */
const LOOK_MS = 1000;

export async function openBucket(transport: NatsTransport, options: BucketOptions): Promise<Store> {
  const { name, patience } = options;
  await whenPlaced(name, patience, () => makeBucket(transport, options));
  const kv = await new Kvm(jetstream(transport.connection)).open(name, { allow_direct: false });
  return new NatsStore(name, kv, transport, publisherOf(transport));
}

class NatsStore implements Store {
  /** The bucket's stream, as JetStream names it. */
  readonly #stream: string;

  constructor(
    readonly name: string,
    private readonly kv: KV,
    private readonly transport: NatsTransport,
    private readonly publisher: StreamPublisher,
  ) {
    this.#stream = `KV_${name}`;
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.kv.get(key);
    return entry?.operation === 'PUT' ? { key, value: entry.value, revision: entry.revision } : undefined;
  }

  async at(revision: number): Promise<Entry | undefined> {
    if (revision < 1) return undefined;
    const { streams } = await jetstreamManager(this.transport.connection, { checkAPI: false });
    const message = await streams.getMessage(this.#stream, { seq: revision });
    if (message === null || message.header.has(OPERATION)) return undefined;
    return { key: this.#keyIn(message.subject), value: message.data, revision };
  }

  async create(key: string, value: Uint8Array): Promise<number | undefined> {
    const revision = await unlessTaken(this.publisher.publish(this.#subject(key), value, 0));
    if (revision !== undefined) return revision;
    // A deleted key leaves a marker behind, which is no value.
    const entry = await this.kv.get(key);
    return entry === null || entry.operation === 'PUT' ? undefined : this.update(key, value, entry.revision);
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    return unlessTaken(this.publisher.publish(this.#subject(key), value, revision));
  }

  put(key: string, value: Uint8Array): Promise<number> {
    return this.publisher.publish(this.#subject(key), value);
  }

  async delete(key: string, revision?: number): Promise<void> {
    if (revision === undefined) return this.kv.delete(key);
    try {
      await this.kv.delete(key, { previousSeq: revision });
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE)) throw error;
    }
  }

  /** With history 1 what follows the last that was heard is all that matters: who was away begins anew there. */
  async follow(onEntry: (entry: Change) => void, since = 0): Promise<Following> {
    let last = await triedAnew(() => this.#lastOf(EVERY));
    let told = Math.max(since - 1, 0);
    let toldAll: () => void = () => undefined;
    const all = new Promise<boolean>((resolve) => {
      toldAll = () => {
        resolve(true);
      };
    });
    const onMessage = (message: JsMsg) => {
      this.#tell(onEntry, this.#changeIn(message));
      told = message.seq;
      if (told >= last) toldAll();
    };
    const from = told === 0 ? ({ everything: true } as const) : { after: told };
    const reading = new StreamReading(this.transport, { stream: this.#stream, from, ahead: AHEAD, onMessage });
    try {
      while (told < last && !(await Promise.race([all, pause(LOOK_MS, false, { ref: false })]))) {
        // What was the last may be gone meanwhile, with nothing in its place.
        last = Math.min(last, await triedAnew(() => this.#lastOf(EVERY)));
      }
    } catch (cause) {
      reading.close();
      throw cause;
    }
    return reading;
  }

  #changeIn({ subject, headers, data: value, seq: revision }: Told): Change {
    const key = this.#keyIn(subject);
    // A deletion leaves a marker, which is no value.
    return headers?.has(OPERATION) === true ? { key, value: undefined } : { key, value, revision };
  }

  /** A follower that throws at one value would hear of no later one. */
  #tell(onEntry: (entry: Change) => void, entry: Change): void {
    try {
      onEntry(entry);
    } catch (thrown) {
      this.transport.notice(`a follower of ${this.name} threw`, thrown);
    }
  }

  #subject(key: string): string {
    return `$KV.${this.name}.${key}`;
  }

  #keyIn(subject: string): string {
    return subject.slice(this.#subject('').length);
  }

  /**
   * Reads with a consumer of its own, which is gone when this comes back: the client library's own reading leaves one behind
   * for seconds each time, and a busy hour after a fail-over would make thousands.
   *
   * The broker puts a consumer on any node that has the stream, and that one may be behind, or lack for good what was written
   * while it started: how far to read is asked of the stream's leader, and so are the first few, which are all of most lists,
   * and whatever the consumer's node has not got in time.
   */
  list(pattern: string, since = 0): Promise<readonly Entry[]> {
    return triedAnew(() => this.#listOnce(pattern, since));
  }

  async #listOnce(pattern: string, since: number): Promise<readonly Entry[]> {
    const last = await this.#lastOf(pattern);
    if (last === 0 || last < since) return [];
    const few = await this.#atLeader(pattern, { after: since - 1, last }, FEW);
    const known = few.at(-1)?.seq ?? last;
    const isAll = few.length < FEW || known >= last;
    const more = isAll ? [] : await this.#byConsumer({ patterns: [pattern], after: known, last });
    return this.#valuesIn([...few, ...more]);
  }

  /** One consumer for all. The newest value of the bucket, which the leader tells, is read with them: it says where they end. */
  async listAny(patterns: readonly string[]): Promise<readonly Entry[]> {
    const newest = patterns.length === 0 ? undefined : await triedAnew(() => this.#newest(EVERY));
    if (newest === undefined) return [];
    const key = this.#keyIn(newest.subject);
    const isWanted = (one: string) => patterns.some((pattern) => fitsKey(pattern, one));
    // The broker takes no two filters that cover one subject.
    const range = { patterns: isWanted(key) ? patterns : [...patterns, key], after: 0, last: newest.seq };
    const read = await triedAnew(() => this.#byConsumer(range));
    return this.#valuesIn(read).filter((entry) => isWanted(entry.key));
  }

  #valuesIn(messages: readonly Told[]): readonly Entry[] {
    return messages.map((message) => this.#changeIn(message)).filter((change) => change.value !== undefined);
  }

  async last(pattern: string): Promise<Entry | undefined> {
    const message = await triedAnew(() => this.#newest(pattern));
    const change = message === undefined ? undefined : this.#changeIn(message);
    return change?.value === undefined ? undefined : change;
  }

  /** The leader has them in memory. */
  async keyNames(pattern: string): Promise<readonly string[]> {
    const { state } = await triedAnew(() => this.#info({ subjects_filter: this.#subject(pattern) }));
    return Object.keys(state.subjects ?? {}).map((subject) => this.#keyIn(subject));
  }

  async bounds(): Promise<{ readonly first: number; readonly last: number }> {
    const { state } = await triedAnew(() => this.#info());
    return { first: Math.max(state.first_seq, 1), last: state.last_seq };
  }

  async #info(ask?: { readonly subjects_filter: string }): Promise<StreamInfo> {
    const streams = await this.#streams();
    return streams.info(this.#stream, ask);
  }

  async #byConsumer({ patterns, after, last }: Range): Promise<readonly Told[]> {
    const { consumers } = jetstream(this.transport.connection, { timeout: SOON_MS });
    const filters = patterns.map((pattern) => this.#subject(pattern));
    const messages = await ConsumerReading.begin(() =>
      consumers.get(this.#stream, {
        filter_subjects: [...filters],
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: after + 1,
      }),
    );
    const read: Told[] = [];
    try {
      for await (const message of upTo(messages, last)) read.push(message);
      return read;
    } catch (cause) {
      if (!(cause instanceof TimeoutError)) throw cause;
      const rest: Told[] = [];
      const left = { after: read.at(-1)?.seq ?? after, last };
      for (const pattern of patterns) rest.push(...(await this.#atLeader(pattern, left, Infinity)));
      return [...read, ...rest.sort((a, b) => a.seq - b.seq)];
    } finally {
      messages.end();
    }
  }

  /** The broker's streams, for questions that are asked again soon. */
  async #streams(): Promise<StreamAPI> {
    return (await jetstreamManager(this.transport.connection, { checkAPI: false, timeout: SOON_MS })).streams;
  }

  /** One after the other, at most so many. */
  async #atLeader(
    pattern: string,
    { after, last }: Pick<Range, 'after' | 'last'>,
    most: number,
  ): Promise<readonly Told[]> {
    const streams = await this.#streams();
    const read: Told[] = [];
    let seq = Math.max(after, 0) + 1;
    while (seq <= last && read.length < most) {
      const next = { seq, next_by_subj: this.#subject(pattern) };
      const message = await streams.getMessage(this.#stream, next);
      if (message === null) break; // gone meanwhile
      read.push(toldBy(message));
      seq = message.seq + 1;
    }
    return read;
  }

  /** Revision of the newest value or marker under the pattern; 0 when there is none. */
  async #lastOf(pattern: string): Promise<number> {
    return (await this.#newest(pattern))?.seq ?? 0;
  }

  async #newest(pattern: string): Promise<Told | undefined> {
    const streams = await this.#streams();
    const message = await streams.getMessage(this.#stream, { last_by_subj: this.#subject(pattern) });
    return message === null ? undefined : toldBy(message);
  }
}

function toldBy({ subject, header, data, seq }: StoredMsg): Told {
  return { subject, headers: header, data, seq };
}
