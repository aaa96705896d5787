/** The store on JetStream: one key-value bucket for each class. */
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, JetStreamApiError, jetstreamManager, type JsMsg, type StreamInfo } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { NatsTransport } from '../nats/nats-transport.js';
import { allOf } from '../ports/all-of.js';
import { fitsKey } from '../ports/key-pattern.js';
import type { Change, Entry, Following, Store } from '../ports/store.js';
import { type BucketSettings, makeBucket } from '../streams/make-bucket.js';
import { RangeReading, type Told } from '../streams/range-reading.js';
import { publisherOf, type StreamPublisher, unlessTaken, WRONG_LAST_SEQUENCE } from '../streams/stream-publisher.js';
import { AHEAD, SOON_MS, StreamReading } from '../streams/stream-reading.js';
import { type Patience, triedAnew, whenPlaced } from '../streams/when-placed.js';

export interface BucketOptions extends BucketSettings {
  /** With a broker whose nodes are still starting; without it the first try counts. */
  readonly patience?: Patience | undefined;
}

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
  readonly #ranges: RangeReading;

  constructor(
    readonly name: string,
    private readonly kv: KV,
    private readonly transport: NatsTransport,
    private readonly publisher: StreamPublisher,
  ) {
    this.#stream = `KV_${name}`;
    this.#ranges = new RangeReading(transport, this.#stream);
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
  async follow(onEntry: (entry: Change) => void, since = 0, pattern = EVERY): Promise<Following> {
    let last = await this.#lastOf(pattern);
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
    // A consumer of everything has no filter: it costs the broker less.
    const filter = pattern === EVERY ? {} : { subject: this.#subject(pattern) };
    const what = { stream: this.#stream, ...filter, from, isReadAnew: true, ahead: AHEAD, onMessage };
    const reading = new StreamReading(this.transport, what);
    try {
      while (told < last && !(await Promise.race([all, pause(LOOK_MS, false, { ref: false })]))) {
        // What was the last may be gone meanwhile, with nothing in its place.
        last = Math.min(last, await this.#lastOf(pattern));
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

  list(pattern: string, since = 0): Promise<readonly Entry[]> {
    return allOf(this.each(pattern, since));
  }

  each(pattern: string, since = 0): AsyncIterable<Entry> {
    return this.#valuesIn(this.#ranges.under(this.#subject(pattern), since));
  }

  /** One consumer for all. The newest value of the bucket, which the leader tells, is read with them: it says where they end. */
  async *eachAny(patterns: readonly string[]): AsyncGenerator<Entry, void, undefined> {
    const newest = patterns.length === 0 ? undefined : await this.#ranges.newest(this.#subject(EVERY));
    if (newest === undefined) return;
    const key = this.#keyIn(newest.subject);
    const isWanted = patterns.some((pattern) => fitsKey(pattern, key));
    // The broker takes no two filters that cover one subject.
    const subjects = (isWanted ? patterns : [...patterns, key]).map((pattern) => this.#subject(pattern));
    const read = this.#ranges.between({ subjects, after: 0, last: newest.seq });
    for await (const entry of this.#valuesIn(read)) if (isWanted || entry.key !== key) yield entry;
  }

  async *#valuesIn(messages: AsyncIterable<Told>): AsyncGenerator<Entry, void, undefined> {
    for await (const message of messages) {
      const change = this.#changeIn(message);
      if (change.value !== undefined) yield change;
    }
  }

  async last(pattern: string): Promise<Entry | undefined> {
    const message = await this.#ranges.newest(this.#subject(pattern));
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
    const { streams } = await jetstreamManager(this.transport.connection, { checkAPI: false, timeout: SOON_MS });
    return streams.info(this.#stream, ask);
  }

  /** Revision of the newest value or marker under the pattern; 0 when there is none. */
  async #lastOf(pattern: string): Promise<number> {
    return (await this.#ranges.newest(this.#subject(pattern)))?.seq ?? 0;
  }
}
