/**
 * What a job to many costs the bare broker: as many messages of the same sizes to the same connections, an answer from each, a word
 * that it is stored to each, and as many JetStream writes of as many bytes. Nothing is sealed, checked or run.
 */
import { connect, createInbox, type NatsConnection } from '@nats-io/transport-node';
import type { Cluster } from './cluster.js';
import { asOperator } from './operator.js';

export interface FanSizes {
  /** Bytes of one message to a minion, of its answer, and of the word that this is stored. */
  readonly job: number;
  readonly answer: number;
  readonly stored: number;
}

export interface PlainRound {
  /** Milliseconds until the last has answered. */
  readonly ms: number;
  /** Milliseconds of processor time of this client, until all is written. */
  readonly processor: number;
}

export interface Written {
  readonly messages: number;
  readonly bytes: number;
}

const STREAM = 'BENCH_FAN_OUT';
const SUBJECT = 'bench.fan-out';
const ANSWER_MS = 30_000;

export class PlainFan {
  private constructor(private readonly connection: NatsConnection) {}

  static async open({ brokerUrl, folder }: Cluster): Promise<PlainFan> {
    const connection = await connect({ servers: brokerUrl, name: 'bench-fan-out', ...(await asOperator(folder)) });
    const plain = new PlainFan(connection);
    await plain.#ask(`STREAM.CREATE.${STREAM}`, {
      name: STREAM,
      subjects: [SUBJECT],
      storage: 'file',
      retention: 'limits',
    });
    return plain;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** What these streams hold. */
  async written(streams: readonly string[]): Promise<Written> {
    const states = await Promise.all(streams.map((stream) => this.#ask(`STREAM.INFO.${stream}`, {})));
    return {
      messages: states.reduce((sum, { state }) => sum + (state?.last_seq ?? 0), 0),
      bytes: states.reduce((sum, { state }) => sum + (state?.bytes ?? 0), 0),
    };
  }

  async once(subjects: readonly string[], sizes: FanSizes, { messages, bytes }: Written): Promise<PlainRound> {
    const [job, stored, record] = [sizes.job, sizes.stored, bytes / Math.max(messages, 1)].map(bytesOf);
    const writes = new Writes(this.connection, record);
    const inbox = createInbox();
    const before = process.cpuUsage();
    const began = performance.now();
    await writes.one(); // as the job's record, before anybody hears of it
    const ms = await new Promise<number>((resolve, reject) => {
      let left = subjects.length;
      const timer = setTimeout(() => {
        reject(new Error(`${String(left)} minions did not answer a plain message`));
      }, ANSWER_MS);
      const heard = this.connection.subscribe(`${inbox}.*`, {
        callback: (_, { subject }) => {
          left -= 1;
          const at = Number(subject.slice(inbox.length + 1));
          this.connection.publish(subjects[at] ?? '', stored);
          if (left % Math.ceil(subjects.length / Math.max(messages - 1, 1)) === 0) void writes.one();
          if (left > 0) return;
          clearTimeout(timer);
          heard.unsubscribe();
          resolve(performance.now() - began);
        },
      });
      for (const [at, subject] of subjects.entries())
        this.connection.publish(subject, job, { reply: `${inbox}.${String(at)}` });
    });
    await writes.all();
    const { user, system } = process.cpuUsage(before);
    return { ms, processor: (user + system) / 1000 };
  }

  async #ask(verb: string, question: object): Promise<{ state?: { last_seq: number; bytes: number } }> {
    const answer = await this.connection.request(`$JS.API.${verb}`, JSON.stringify(question));
    const read = answer.json<{ state?: { last_seq: number; bytes: number }; error?: { description: string } }>();
    if (read.error !== undefined) throw new Error(`${verb}: ${read.error.description}`);
    return read;
  }
}

class Writes {
  readonly #under: Promise<unknown>[] = [];

  constructor(
    private readonly connection: NatsConnection,
    private readonly record: Uint8Array | undefined,
  ) {}

  async one(): Promise<void> {
    const write = this.connection.request(SUBJECT, this.record, { timeout: ANSWER_MS });
    this.#under.push(write);
    await write;
  }

  async all(): Promise<void> {
    await Promise.all(this.#under);
  }
}

function bytesOf(length: number): Uint8Array {
  return new Uint8Array(Math.round(length)).fill(0x6e);
}
