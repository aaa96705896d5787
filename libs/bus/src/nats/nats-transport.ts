/**
 * The broker as a transport: one connection that reconnects for ever, with jitter.
 *
 * Every callback is wrapped: a synchronous throw inside one makes a NATS connection deaf without any sign.
 *
 * A user of the broker that expires is renewed without a gap (`renew`): a second connection takes over each subscription
 * before the first gives it up, so that none is lost. What both hear meanwhile is handled once, in its order. Answers leave
 * through the connection that heard the question, the only one that the broker lets answer it.
 */
import {
  connect,
  type Msg,
  type NatsConnection,
  type PublishOptions,
  type Status,
  type Subscription,
} from '@nats-io/transport-node';
import type { Incoming, Listening, Transport } from '../ports/transport.js';
import { allRead } from './all-read.js';
import { saysNobodyListens } from './broker-word.js';
import { drained, Overlap } from './overlap.js';
import { type NatsOptions, settings, startingAt } from './settings.js';
import { Unsent } from './unsent.js';

interface Subscribed {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly handler: (message: Incoming) => void;
  current: Subscription;
}

interface Outbound {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly options: PublishOptions;
  /** Set: only this connection may send it. */
  readonly via: NatsConnection | undefined;
}

/** How long answers may still leave through a connection that was taken over. */
const OVERLAP_MS = 500;
/** Messages of one turn that are worth a write of their own: more than the client's own buffer of 32 KiB. */
const MANY = 32;
/** A turn of the event loop takes this long when thousands of messages have come at once; nobody's answer waits for its end. */
const LONG_MS = 2;
const NO_OPTIONS: PublishOptions = {};

export class NatsTransport implements Transport {
  readonly #outbound: Outbound[] = [];
  /** When the first of them was sent, as `performance.now()` tells it. */
  #outboundSince = 0;
  /** Set while the broker is away: at each attempt to reach it, the client library would throw away what it holds. */
  #unsent: Unsent<Outbound> | undefined;
  readonly #subscribed = new Set<Subscribed>();
  readonly #notice: (notice: string, cause?: unknown) => void;
  /** Set while two connections hear the same. */
  #overlap: Overlap | undefined;
  #connection: NatsConnection;
  /** Connections that were taken over and are not closed yet: answers may still leave through them. */
  readonly #finishing = new Set<NatsConnection>();
  #draining = false;
  readonly #whenBack = new Set<() => void>();
  #lost: (why: string) => void = () => undefined;
  /** Resolves when the connection is gone for good, with the reason: the broker no longer knows this user. */
  readonly lost = new Promise<string>((resolve) => {
    this.#lost = resolve;
  });
  #end: () => void = () => undefined;
  /** Resolves when nothing can be sent or heard any more, whoever has ended it. */
  readonly closed = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  private constructor(
    connection: NatsConnection,
    private readonly options: NatsOptions,
  ) {
    this.#connection = connection;
    this.#notice = options.onNotice ?? (() => undefined);
    this.#watch(connection);
  }

  get connection(): NatsConnection {
    return this.#connection;
  }

  /** Nothing more can be sent or heard. */
  get isClosed(): boolean {
    return this.#draining || this.#connection.isClosed();
  }

  get inbox(): string {
    return this.options.inbox ?? '_INBOX';
  }

  /** @throws {Error} When no broker answers, or it refuses this user. */
  static async connect(options: NatsOptions): Promise<NatsTransport> {
    // A user whom the broker does not let in at all has to hear that: the first connection gives up when it is refused.
    if (options.outlivesRefusals === true) {
      await (await connect({ ...settings(options), ignoreAuthErrorAbort: false })).close();
    }
    return new NatsTransport(await connect(settings(options)), options);
  }

  /**
   * Goes over to a new connection, which logs in with the newest JWT, and drains the old one. It is to the same node where that can
   * be: a node that hears of a subscription only from another one may do so after the first has given it up.
   *
   * @throws {Error} When it is refused.
   */
  async renew(): Promise<void> {
    const old = this.#connection;
    const next = await connect({ ...startingAt(old.getServer(), settings(this.options)), waitOnFirstConnect: false });
    if (this.#draining) return next.close(); // its end came meanwhile
    const overlap = new Overlap(next);
    this.#overlap = overlap;
    const gone = [...this.#subscribed].map((one) => one.current);
    // What is sent from here on follows the subscriptions on the same connection: its answers find them.
    for (const one of this.#subscribed) one.current = this.#listen(next, one);
    this.#connection = next;
    this.#finishing.add(old); // from here on: its end may come meanwhile
    this.#watch(next);
    this.#sendUnsent();
    await overlap.takenOver(gone, OVERLAP_MS);
    setTimeout(() => {
      if (this.#overlap === overlap) this.#overlap = undefined;
      void this.#finish(old);
    }, OVERLAP_MS).unref();
  }

  publish(subject: string, payload: Uint8Array, reply?: string): void {
    this.send(subject, payload, reply === undefined ? NO_OPTIONS : { reply });
  }

  /**
   * As `publish`, with headers. What one turn of the event loop sends shares one write: a system call costs more than a message.
   * Many do not wait for its end: the broker passes the first on while the last are still sealed.
   */
  send(subject: string, payload: Uint8Array, options: PublishOptions, via?: NatsConnection): void {
    this.#outbound.push({ subject, payload, options, via });
    if (this.#outbound.length >= MANY) this.#sendAll();
    else if (this.#outbound.length === 1) {
      this.#outboundSince = performance.now();
      setImmediate(() => {
        this.#sendAll();
      });
    }
  }

  subscribe(subject: string, handler: (message: Incoming) => void, queue?: string): Listening {
    const wanted = { subject, queue, handler };
    const one = { ...wanted, current: this.#listen(this.#connection, wanted) };
    this.#subscribed.add(one);
    return {
      close: () => {
        this.#subscribed.delete(one);
        return drained(one.current);
      },
    };
  }

  #listen(on: NatsConnection, { subject, queue, handler }: Omit<Subscribed, 'current'>): Subscription {
    const handle = (message: Msg) => {
      try {
        handler(this.#incoming(on, message));
      } catch (thrown) {
        this.#notice(`handler of ${subject} threw`, thrown);
      }
      if (this.#outbound.length > 0 && performance.now() > this.#outboundSince + LONG_MS) this.#sendAll();
    };
    return on.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        const overlap = queue === undefined ? this.#overlap : undefined;
        if (error !== null) this.#notice('subscription failed', error);
        else if (overlap === undefined) handle(message);
        else overlap.hear(on, message, () => { handle(message); }); // prettier-ignore
      },
    });
  }

  /** One question in the broker's own words, such as those of its system account. @throws {Error} Without an answer in time. */
  async request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const { data } = await this.#connection.request(subject, payload, { timeout: timeoutMs });
    return data;
  }

  /** Tells whoever watches this connection. */
  notice(notice: string, cause?: unknown): void {
    this.#notice(notice, cause);
  }

  /** Tells whoever has to mend something. */
  alert(alert: string, cause?: unknown): void {
    this.options.onAlert?.(alert, cause);
  }

  /** Tells whoever was alerted that it is over. */
  over(sentence: string): void {
    this.options.onOver?.(sentence);
  }

  /** Calls each time the connection is there again after it was lost. @returns Ends that. */
  whenBack(back: () => void): () => void {
    this.#whenBack.add(back);
    return () => {
      this.#whenBack.delete(back);
    };
  }

  async flush(): Promise<void> {
    this.#sendAll();
    const wasAway = this.#unsent !== undefined;
    await this.connection.flush();
    // What waited for the broker has left behind the first question.
    if (wasAway) await this.connection.flush();
  }

  /** Resolves when all is heard that the broker has sent until now: what this process waits for may be in line behind thousands of others. */
  caughtUp(mostMs: number): Promise<void> {
    return allRead(this.flush(), () => this.#connection.stats().inMsgs, mostMs);
  }

  async drain(): Promise<void> {
    this.#draining = true;
    this.#sendUnsent();
    this.#sendAll();
    await Promise.all([...this.#finishing, this.#connection].map((connection) => this.#finish(connection)));
  }

  async #finish(connection: NatsConnection): Promise<void> {
    this.#finishing.delete(connection);
    // The broker may have closed it meanwhile: then there is nothing left to send.
    if (connection.isClosed() || connection.isDraining()) return;
    // Of one whose broker is away the rest cannot be sent; left open, it would go on reconnecting.
    // One that the broker ends meanwhile, because it knows this user no more, is never drained: the client library would wait for ever.
    await Promise.race([connection.drain().catch(() => connection.close()), connection.closed()]);
  }

  #sendAll(): void {
    for (const one of this.#outbound.splice(0)) {
      const through = one.via === undefined || one.via.isClosed() ? this.#connection : one.via;
      if (this.#unsent !== undefined && through === this.#connection) this.#unsent.add(one, performance.now());
      else this.#sendOn(through, one);
    }
  }

  /** The broker is back. Answers that another connection owes are lost with it. */
  #sendUnsent(): void {
    const unsent = this.#unsent;
    if (unsent === undefined) return;
    this.#unsent = undefined;
    if (!this.#draining) this.options.onAway?.(false);
    for (const one of unsent.take(performance.now()))
      if (one.via === undefined || one.via === this.#connection) this.#sendOn(this.#connection, one);
    if (unsent.dropped > 0) this.#notice(`broker: away for too long, ${unsent.dropped} messages were not sent`);
  }

  #sendOn(connection: NatsConnection, { subject, payload, options }: Outbound): void {
    try {
      connection.publish(subject, payload, options);
    } catch (error) {
      this.#notice(`nothing can be sent on ${subject}`, error);
    }
  }

  #incoming(on: NatsConnection, message: Msg): Incoming {
    const noResponders = saysNobodyListens(message);
    const { subject, data: payload, reply } = message;
    const respond = (answer: Uint8Array) => {
      if (reply !== undefined && reply !== '') this.send(reply, answer, NO_OPTIONS, on);
    };
    return { subject, payload, reply, noResponders, respond };
  }

  #watch(connection: NatsConnection): void {
    void this.#tellStates(connection);
    void connection.closed().then((error) => {
      if (connection !== this.#connection) return;
      this.#end();
      if (!this.#draining) this.#lost(error?.message ?? 'closed by the broker');
    });
  }

  async #tellStates(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (connection === this.#connection) this.#follow(status.type);
      if (status.type === 'error') this.#notice(`broker: ${status.error.message}`);
      else if (status.type !== 'ping') this.#notice(`broker: ${status.type}`);
      if (status.type === 'reconnect') for (const back of this.#whenBack) back();
    }
  }

  #follow(state: Status['type']): void {
    if (state === 'disconnect') this.options.onAway?.(true);
    if (state === 'disconnect') this.#unsent ??= new Unsent();
    else if (state === 'reconnect') this.#sendUnsent();
    else if (state === 'close') this.#unsent = undefined;
  }
}
