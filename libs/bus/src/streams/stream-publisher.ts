/**
 * Publishing to JetStream over the transport, with one inbox for all acknowledgements.
 *
 * The client library's own publish makes an Error with its stack for every message and a write for each of them; this one
 * shares the transport's writes (measured: a third of the gateway's time for a job).
 */
import { createInbox, headers, type MsgHdrs } from '@nats-io/nats-core';
import { InFlight } from '@natrium/model';
import type { NatsTransport } from '../nats/nats-transport.js';
import type { Incoming } from '../ports/transport.js';

const NO_ANSWER = 408;

/** JetStream did not take a message, or did not say that it did. */
export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
  readonly code = 'ERR_STREAM_REFUSED';
  constructor(
    readonly errorCode: number,
    description: string,
  ) {
    super(`JetStream: ${description}`);
  }

  /** The broker has said nothing of the write, which may have been made. */
  get mayBeWritten(): boolean {
    return this.errorCode === NO_ANSWER;
  }
}

interface Waiting {
  /** The stream's own part of the subject. */
  readonly store: string;
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: StreamRefused) => void;
  readonly timer: NodeJS.Timeout;
  /** Until when a stream that has no leader is asked again. */
  readonly until: number;
  send(): void;
}

/** Another writer was quicker; a stream that is full says so as well. */
export const WRONG_LAST_SEQUENCE = 10_071;
const ACK_MS = 5000;
/** How much longer an acknowledgement may be in line behind other messages that this process has not read yet. */
const IN_LINE_MS = 60_000;
/** For so long after the last refused write, a store counts as one that takes none. Those who write seldom try again within this time. */
const REFUSED_MS = 15_000;
/** A stream of three replicas that has lost its leader elects another within this time. Sending again is safe, since nobody took the message. */
const NO_LEADER_MS = 4000;
const AGAIN_MS = 100;
/** Of a write that no stream has heard. */
const NO_STREAM_HEARS = 503;
const EXPECTED = 'Nats-Expected-Last-Subject-Sequence';
const FIRST = expecting(0);

/** What publishing needs of a connection. */
export type PublishingTransport = Pick<
  NatsTransport,
  'inbox' | 'subscribe' | 'send' | 'alert' | 'over' | 'caughtUp' | 'closed'
>;

export class StreamPublisher {
  readonly #waiting = new InFlight<string, Waiting>();
  readonly #inbox: string;
  #next = 0;
  /** Stores whose last write was refused. */
  readonly #refused = new Map<string, { readonly why: StreamRefused; readonly at: number }>();
  #onRefused: () => void = () => undefined;
  #isClosed = false;

  constructor(
    private readonly transport: PublishingTransport,
    private readonly ackMs = ACK_MS,
  ) {
    this.#inbox = createInbox(transport.inbox);
    transport.subscribe(`${this.#inbox}.*`, (message) => {
      this.#hear(message);
    });
    void transport.closed.then(() => {
      this.#close();
    });
  }

  /** Why a store takes no writes now, in a sentence; undefined as long as all do. */
  get trouble(): string | undefined {
    const since = performance.now() - REFUSED_MS;
    const found = [...this.#refused].find(([, { at }]) => at > since);
    return found === undefined ? undefined : sentenceOf(found[0], found[1].why);
  }

  /** Tells of each write that is refused from now on. */
  whenRefused(tell: () => void): void {
    this.#onRefused = tell;
  }

  /** @param expected The subject's last sequence, 0 for none. @throws {StreamRefused} */
  publish(subject: string, payload: Uint8Array, expected?: number): Promise<number> {
    if (this.#isClosed) return Promise.reject(closed());
    this.#next += 1;
    const token = String(this.#next);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.#overdue(token), this.ackMs);
      const reply = `${this.#inbox}.${token}`;
      const condition = expected === undefined ? undefined : expected === 0 ? FIRST : expecting(expected);
      const send = () => {
        this.transport.send(subject, payload, condition === undefined ? { reply } : { reply, headers: condition });
      };
      this.#waiting.set(token, {
        store: storeOf(subject),
        resolve,
        reject,
        timer,
        until: performance.now() + NO_LEADER_MS,
        send,
      });
      send();
    });
  }

  /** No acknowledgement can come any more. Nothing is wrong with the store, so nobody is told but who waits. */
  #close(): void {
    this.#isClosed = true;
    for (const token of [...this.#waiting.keys()]) this.#settle(token)?.reject(closed());
  }

  /** An acknowledgement is missing only once everything has been read that the broker has sent until now. */
  async #overdue(token: string): Promise<void> {
    await this.transport.caughtUp(IN_LINE_MS);
    this.#refuse(this.#settle(token), new StreamRefused(NO_ANSWER, 'no acknowledgement in time'));
  }

  #hear({ subject, payload, noResponders }: Incoming): void {
    const token = subject.slice(this.#inbox.length + 1);
    const isAgain = noResponders && performance.now() < (this.#waiting.get(token)?.until ?? 0);
    if (isAgain) {
      setTimeout(() => this.#waiting.get(token)?.send(), AGAIN_MS);
      return;
    }
    const waiting = this.#settle(token);
    if (waiting === undefined) return;
    if (noResponders) {
      this.#refuse(waiting, new StreamRefused(NO_STREAM_HEARS, 'no stream takes this subject'));
      return;
    }
    const { seq, error } = readAck(payload);
    // A refusal comes with `seq: 0` beside its error.
    if (error === undefined && seq !== undefined) {
      this.#taken(waiting.store);
      waiting.resolve(seq);
    } else {
      const why = error?.description ?? 'an acknowledgement that cannot be read';
      this.#refuse(waiting, new StreamRefused(error?.err_code ?? 0, why));
    }
  }

  /** Told once when a store begins to take no writes, and once when it is over. */
  #refuse(waiting: Waiting | undefined, why: StreamRefused): void {
    if (waiting === undefined) return;
    if (why.errorCode !== WRONG_LAST_SEQUENCE) {
      if (!this.#refused.has(waiting.store)) this.transport.alert(sentenceOf(waiting.store, why), why);
      this.#refused.set(waiting.store, { why, at: performance.now() });
      this.#onRefused();
    }
    waiting.reject(why);
  }

  #taken(store: string): void {
    if (this.#refused.delete(store)) this.transport.over(`the broker takes writes to ${store} again`);
  }

  #settle(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(token);
    clearTimeout(waiting.timer);
    return waiting;
  }
}

function closed(): StreamRefused {
  return new StreamRefused(NO_ANSWER, 'the connection to the broker is closed, and no acknowledgement came before');
}

/** One publisher, and so one inbox, for each connection. */
const publishers = new WeakMap<NatsTransport, StreamPublisher>();

export function publisherOf(transport: NatsTransport): StreamPublisher {
  const known = publishers.get(transport) ?? new StreamPublisher(transport);
  publishers.set(transport, known);
  return known;
}

/** Why JetStream takes no writes of this connection now, in a sentence; undefined as long as it does. */
export function writeTrouble(transport: NatsTransport): string | undefined {
  return publishers.get(transport)?.trouble;
}

/** Tells of each write of this connection that JetStream refuses from now on; one listener for each connection. */
export function whenWriteRefused(transport: NatsTransport, tell: () => void): void {
  publisherOf(transport).whenRefused(tell);
}

/** The loser of a race hears undefined; every other failure stays one. */
export async function unlessTaken(write: Promise<number>): Promise<number | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof StreamRefused && error.errorCode === WRONG_LAST_SEQUENCE) return undefined;
    throw error;
  }
}

/** `$KV.<bucket>.<key>`, or a stream's subject without its sender. */
function storeOf(subject: string): string {
  const words = subject.split('.');
  return words[0] === '$KV' ? (words[1] ?? '') : words.slice(0, -1).join('.');
}

function sentenceOf(store: string, { message, errorCode }: StreamRefused): string {
  const mend =
    errorCode === NO_STREAM_HEARS
      ? 'JetStream is off there (look at its disk), or the stream was deleted: gateways make the journal of the events anew, other streams are made when the services start'
      : 'look at its disk and its limits';
  return `the broker takes no writes to ${store}: ${message}; ${mend}`;
}

interface Ack {
  readonly seq?: number;
  readonly error?: { readonly err_code?: number; readonly description?: string };
}

function readAck(payload: Uint8Array): Ack {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString()) as Ack;
  } catch {
    return {};
  }
}

function expecting(sequence: number): MsgHdrs {
  const head = headers();
  head.set(EXPECTED, String(sequence));
  return head;
}
