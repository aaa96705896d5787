/**
 * How reading one stream goes. While it fails, as it does when the stream has no leader, it is tried again more and more seldom; the
 * log hears once that it fails, once more when that lasts longer than a vote for a leader takes, and once that it is over.
 */
import { JetStreamApiError } from '@nats-io/jetstream';
import { messageOf } from '@natrium/model';
import type { NatsTransport } from '../nats/nats-transport.js';
import { NO_STREAM } from './make-bucket.js';

const FIRST_MS = 500;
const LONGEST_MS = 4000;
/** Nothing is wrong before: a vote for a leader takes up to nine seconds, and a service that says that it is not ready gets no requests. */
const LASTS_MS = 10_000;

export class ReadingState {
  /** Set while it fails. */
  #failing: { since: number; again: number; isTold: boolean; why: string } | undefined;

  constructor(
    private readonly stream: string,
    private readonly tell: Pick<NatsTransport, 'notice' | 'alert' | 'over'>,
    private readonly now: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
  ) {}

  /** Why nothing can be read, in a sentence, once that has lasted; undefined as long as it can. */
  get trouble(): string | undefined {
    const failing = this.#failing;
    if (failing === undefined || this.now() - failing.since < LASTS_MS) return undefined;
    return `the broker gives nothing to read of ${this.stream}: ${failing.why}`;
  }

  /** @returns Milliseconds after which it is tried again: half of them are chance, so that not all come at once. */
  failed(cause: unknown): number {
    if (this.#failing === undefined) this.tell.notice(`reading ${this.stream} failed and begins again`, cause);
    this.#failing ??= { since: this.now(), again: FIRST_MS, isTold: false, why: '' };
    this.#failing.why = messageOf(cause);
    if (isMissing(cause)) this.#failing.since = this.now(); // no trouble: the service that keeps the stream may start later
    const { again } = this.#failing;
    this.#failing.again = Math.min(2 * again, LONGEST_MS);
    const { trouble } = this;
    if (trouble !== undefined && !this.#failing.isTold) {
      this.#failing.isTold = true;
      this.tell.alert(trouble, cause);
    }
    return (again * (1 + this.random())) / 2;
  }

  /** It is read again. */
  went(): void {
    if (this.#failing === undefined) return;
    const { isTold } = this.#failing;
    this.#failing = undefined;
    const sentence = `${this.stream} is read again`;
    if (isTold) this.tell.over(sentence);
    else this.tell.notice(sentence);
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof JetStreamApiError && cause.code === NO_STREAM;
}

/** Of each connection, what it reads. */
const readings = new WeakMap<NatsTransport, Set<ReadingState>>();

/** @returns How it goes, and what ends it. */
export function beginReading(transport: NatsTransport, stream: string): { state: ReadingState; end: () => void } {
  const all = readings.get(transport) ?? new Set();
  readings.set(transport, all);
  const state = new ReadingState(stream, transport);
  all.add(state);
  return { state, end: () => void all.delete(state) };
}

/** Why something that this connection reads cannot be read, in a sentence; undefined as long as all can. */
export function readTrouble(transport: NatsTransport): string | undefined {
  for (const { trouble } of readings.get(transport) ?? []) if (trouble !== undefined) return trouble;
  return undefined;
}
