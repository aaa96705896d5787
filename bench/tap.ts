/**
 * A connection that hears everything (`>`) and says when: the broker hands a message to the tap as it hands it to its
 * receiver, so that the time between two known messages is what one hop and one process took.
 *
 * It opens nothing: a message is known by its subject, an answer by the question that named its inbox.
 */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Cluster } from './cluster.js';
import { asOperator } from './operator.js';

export interface Tapped {
  readonly at: number;
  /** `publish`, `grant`, `write jobs.j`, …; of an answer `publish answer`, …. */
  readonly kind: string;
  readonly bytes: number;
}

export class Tap {
  #heard: Tapped[] = [];
  readonly #questions = new Map<string, string>();

  private constructor(private readonly connection: NatsConnection) {}

  static async open({ brokerUrl, folder }: Cluster): Promise<Tap> {
    const connection = await connect({ servers: brokerUrl, name: 'bench-tap', ...(await asOperator(folder)) });
    const tap = new Tap(connection);
    connection.subscribe('>', {
      callback: (error, { subject, reply, data }) => {
        if (error === null) tap.#hear(subject, reply, data.length);
      },
    });
    await connection.flush();
    return tap;
  }

  /** Everything that the broker has passed on since the last call of this. */
  async take(): Promise<readonly Tapped[]> {
    await this.connection.flush();
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  #hear(subject: string, reply: string | undefined, bytes: number): void {
    const at = performance.now();
    const question = this.#questions.get(subject);
    const kind = question === undefined ? kindOf(subject) : `${question} answer`;
    if (reply !== undefined && reply !== '') this.#questions.set(reply, kind);
    this.#heard.push({ at, kind, bytes });
  }
}

/** @returns `other` for what is no part of a request's way. */
function kindOf(subject: string): string {
  const [head, bucket = '', first = '', , verb] = subject.split('.');
  if (head === '$KV') return `write ${bucket.replace(/^NT_[^_]+_/, '')}${first.length === 1 ? `.${first}` : ''}`;
  if (head !== 'nt') return 'other';
  const tree = first;
  if (tree === 'job') return 'job';
  if (tree === 'svc' || tree === 'up' || tree === 'usr') return verb ?? 'other';
  return 'other';
}
