/**
 * Publishing to JetStream over the transport, with one inbox for all acknowledgements.
 *
 * The client library's own publish makes an Error with its stack for every message and a write for each of them; this one
 * shares the transport's writes (measured: a third of the gateway's time for a job).
 */
import { createInbox, headers, type MsgHdrs } from '@nats-io/nats-core';
import type { NatsTransport } from './nats-transport.js';
import type { Incoming } from './transport.js';

/** JetStream took a message in, or said why not. */
export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
  readonly code = 'ERR_STREAM_REFUSED';
  constructor(
    readonly errorCode: number,
    description: string,
  ) {
    super(`JetStream: ${description}`);
  }
}

interface Waiting {
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: StreamRefused) => void;
  readonly timer: NodeJS.Timeout;
  /** Until when a stream that has no leader is asked again. */
  readonly until: number;
  send(): void;
}

const ACK_MS = 5000;
/** A stream of three replicas that has lost its leader elects another within this. Nobody took the message: to send it again is safe. */
const NO_LEADER_MS = 4000;
const AGAIN_MS = 100;
const EXPECTED = 'Nats-Expected-Last-Subject-Sequence';
const FIRST = expecting(0);

export class StreamPublisher {
  readonly #waiting = new Map<string, Waiting>();
  readonly #inbox: string;
  #next = 0;

  constructor(private readonly transport: NatsTransport) {
    this.#inbox = createInbox(transport.inbox);
    transport.subscribe(`${this.#inbox}.*`, (message) => {
      this.#hear(message);
    });
  }

  /** @param expected The subject's last sequence, 0 for none. @throws {StreamRefused} */
  publish(subject: string, payload: Uint8Array, expected?: number): Promise<number> {
    this.#next += 1;
    const token = String(this.#next);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#settle(token)?.reject(new StreamRefused(408, 'no acknowledgement in time'));
      }, ACK_MS);
      const reply = `${this.#inbox}.${token}`;
      const condition = expected === undefined ? undefined : expected === 0 ? FIRST : expecting(expected);
      const send = () => {
        this.transport.send(subject, payload, condition === undefined ? { reply } : { reply, headers: condition });
      };
      this.#waiting.set(token, { resolve, reject, timer, until: performance.now() + NO_LEADER_MS, send });
      send();
    });
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
      waiting.reject(new StreamRefused(503, 'no stream takes this subject'));
      return;
    }
    const { seq, error } = readAck(payload);
    // A refusal comes with `seq: 0` beside its error.
    if (error === undefined && seq !== undefined) waiting.resolve(seq);
    else
      waiting.reject(
        new StreamRefused(error?.err_code ?? 0, error?.description ?? 'an acknowledgement that cannot be read'),
      );
  }

  #settle(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(token);
    clearTimeout(waiting.timer);
    return waiting;
  }
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
