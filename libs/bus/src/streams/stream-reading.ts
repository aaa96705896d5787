/**
 * Reads a stream on and on, over lost connections, restarts of the broker and the death of the node that it is read at.
 *
 * A consumer is at one node only. When that dies, the client library asks for it without end instead of making another: so
 * what is silent for longer than its heartbeat is given up, and reading begins anew after the last message that was heard.
 *
 * A stream may be lost with its broker's disk and made anew meanwhile, or put back from a backup. Its next messages have the numbers of those
 * that were heard, and would be taken for them in silence.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Consumer,
  DeliverPolicy,
  type JsMsg,
  jetstream,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { NatsTransport } from '../nats/nats-transport.js';
import type { ReadFrom, Reading } from '../ports/journal.js';
import { askedMeanwhile } from './asked-meanwhile.js';
import { ConsumerReading, letGo } from './consumer-reading.js';
import { NANOS_PER_MS } from './make-bucket.js';
import { beginReading, type ReadingState } from './reading-state.js';
import { triedAnew } from './when-placed.js';

export interface StreamRead {
  readonly stream: string;
  /** Only what is on it, which may be a pattern. */
  readonly subject?: string;
  readonly from: ReadFrom;
  /** Of one that was lost and made anew, all is read. Without it, or `since`, only an operator is told: its readers remember places in the one that is lost. */
  readonly isReadAnew?: boolean;
  /** Messages that may wait here for a slow reader. */
  readonly ahead: number;
  /** Called again only when its promise has resolved. */
  readonly onMessage: (message: JsMsg) => Promise<void> | void;
  /** Called once when there is nothing to read yet. */
  readonly onNothing?: (() => void) | undefined;
}

export const AHEAD = 256;
/** A new consumer may be placed at the dead node too, which then does not answer: another is asked for soon. */
export const SOON_MS = 1500;
/** A slow broker's answer is waited for meanwhile. */
const SLOW_MS = 5000;
/** A node that has just become the stream's leader may not know at once of all that it has. */
const ASK_AGAIN_MS = 500;
/** The clock of the node that leads the stream now may be behind that of the one before. */
const SLACK_MS = 60_000;

/** The last message that was heard: its place, and when the broker got it, in milliseconds since 1970. */
interface Last {
  readonly sequence: number;
  readonly at: number;
}

export class StreamReading implements Reading {
  #messages: ConsumerReading | undefined;
  #closed = false;
  #from: ReadFrom;
  /** undefined while none was. */
  #last: Last | undefined;
  /** It was lost and made anew: from where it is to be read. */
  #anew: ReadFrom | undefined;
  /** When it was made, as was told of already. */
  #toldOf: string | undefined;
  #onNothing: (() => void) | undefined;
  readonly #state: ReadingState;
  readonly #end: () => void;
  /** Set while it waits to try again. */
  #tryNow: () => void = () => undefined;

  constructor(
    private readonly transport: NatsTransport,
    private readonly what: StreamRead,
  ) {
    this.#from = what.from;
    this.#onNothing = what.onNothing;
    ({ state: this.#state, end: this.#end } = beginReading(transport, what.stream));
    void this.#keepReading();
  }

  close(): void {
    this.#closed = true;
    this.#end();
    this.#tryNow();
    this.#messages?.stop();
  }

  async #keepReading(): Promise<void> {
    while (!this.#closed && !this.transport.connection.isClosed()) {
      try {
        await this.#readOn();
      } catch (cause) {
        await this.#pauseAfter(cause);
      }
    }
    this.#end();
  }

  /** A connection that is back is tried at once. What fails once it is closed is nobody's trouble. */
  async #pauseAfter(cause: unknown): Promise<void> {
    if (this.#closed) return;
    const ms = this.#state.failed(cause);
    let end: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#tryNow = () => {
        clearTimeout(timer);
        resolve();
      };
      end = this.transport.whenBack(this.#tryNow);
    });
    end();
  }

  async #readOn(): Promise<void> {
    if (this.#anew !== undefined) this.#from = this.#anew;
    this.#anew = undefined;
    const last = this.#last;
    // What comes from now on must not be missed while a consumer is made anew.
    if ('now' in this.#from) this.#from = { after: (await this.#info()).state.last_seq };
    const messages = await ConsumerReading.begin(() => this.#consumer(), this.what.ahead);
    try {
      this.#state.went();
      // Beside it: the node that answers for the stream may have died, and is not needed to read on.
      if (last !== undefined) void this.#lookWhetherAnew(last, messages);
      await this.#hearAll(messages);
    } finally {
      messages.end();
    }
  }

  async #consumer(): Promise<Consumer> {
    const { consumers } = jetstream(this.transport.connection, { timeout: SLOW_MS });
    const ask = () => consumers.get(this.what.stream, { ...startOf(this.#from), ...this.#filter });
    const consumer = await askedMeanwhile(ask, SOON_MS, letGo);
    if (this.#onNothing === undefined) return consumer;
    try {
      // Before anything is asked of it: what is on its way here is not pending any more.
      if ((await consumer.info()).num_pending === 0) this.#onNothing();
      this.#onNothing = undefined;
      return consumer;
    } catch (cause) {
      letGo(consumer);
      throw cause;
    }
  }

  get #filter() {
    const { subject } = this.what;
    return subject === undefined ? {} : { filter_subjects: [subject] };
  }

  async #hearAll(messages: ConsumerReading): Promise<void> {
    this.#messages = messages;
    if (this.#closed) messages.stop(); // while it was made
    // The library watches no heartbeat between a lost connection and the first answer after it.
    const end = this.transport.whenBack(() => {
      messages.stop();
    });
    try {
      for await (const message of messages) {
        // What had arrived before it was closed still comes.
        if (this.#closed) break;
        if ('after' in this.#from && message.seq <= this.#from.after) continue;
        this.#from = { after: message.seq };
        this.#last = { sequence: message.seq, at: message.info.timestampNanos / NANOS_PER_MS };
        await this.what.onMessage(message);
      }
    } finally {
      end();
    }
  }

  async #lookWhetherAnew(last: Last, messages: ConsumerReading): Promise<void> {
    const created = await this.#createdAnew(last).catch(() => undefined);
    if (created === undefined || this.#closed || created === this.#toldOf) return;
    this.#toldOf = created;
    this.#last = undefined;
    this.transport.alert(
      `${this.what.stream} was lost and made anew, or is older than what was read of it; start this service again`,
    );
    if (this.what.isReadAnew === true) this.#anew = { everything: true };
    else if ('since' in this.what.from) this.#anew = { since: last.at - SLACK_MS };
    else return;
    messages.stop();
  }

  /** @returns When it was made, where it is not the one that had this message: made later, or put back from a backup. */
  async #createdAnew({ sequence, at }: Last): Promise<string | undefined> {
    const { created, state } = await triedAnew(() => this.#info());
    if (Date.parse(created) > at) return created;
    if (state.last_seq >= sequence) return undefined;
    await pause(ASK_AGAIN_MS);
    const again = await triedAnew(() => this.#info());
    return again.state.last_seq < sequence ? `${again.created} ${String(again.state.last_seq)}` : undefined;
  }

  async #info(): Promise<StreamInfo> {
    const { streams } = await jetstreamManager(this.transport.connection, { checkAPI: false });
    return streams.info(this.what.stream);
  }
}

function startOf(from: ReadFrom) {
  if ('after' in from) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from.after + 1 };
  const since = 'at' in from ? from.at : 'since' in from ? from.since : undefined;
  if (since !== undefined)
    return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(since).toISOString() };
  return { deliver_policy: DeliverPolicy.All };
}
