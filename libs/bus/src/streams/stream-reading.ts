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
  type JetStreamManager,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { NatsTransport } from '../nats/nats-transport.js';
import type { ReadFrom, Reading } from '../ports/journal.js';
import { askedMeanwhile } from './asked-meanwhile.js';
import { ConsumerReading, letGo } from './consumer-reading.js';
import { isMadeAnew, type Last, type Leader, SLACK_MS } from './is-made-anew.js';
import { NANOS_PER_MS } from './make-bucket.js';
import { beginReading, type ReadingState } from './reading-state.js';
import { triedAnew } from './when-placed.js';

export interface StreamRead {
  readonly stream: string;
  /** Only what is on it, which may be a pattern. */
  readonly subject?: string;
  readonly from: ReadFrom;
  /**
   * Of one that was lost and made anew, or put back, all is read again; with `since` it is read on from the last message. Any other
   * reader remembers places in the one that is lost, and looks after them by itself; an operator is told.
   */
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
/** All subjects. */
const EVERY = '>';

export class StreamReading implements Reading {
  #messages: ConsumerReading | undefined;
  #closed = false;
  #from: ReadFrom;
  /** undefined while none was. */
  #last: Last | undefined;
  /** By this one it is not known yet whether the stream is still the same. A reading may hear others and end before that is known. */
  #unsure: Last | undefined;
  /** It was lost and made anew: from where it is to be read. */
  #anew: ReadFrom | undefined;
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
    while (!this.#isOver) {
      try {
        await this.#readOn();
      } catch (cause) {
        await this.#pauseAfter(cause);
      }
    }
    this.#end();
  }

  /** Also once the connection is being closed: an ordinary stop is no failure. */
  get #isOver(): boolean {
    return this.#closed || this.transport.isClosed;
  }

  /** A connection that is back is tried at once. What fails once it is closed is nobody's trouble. */
  async #pauseAfter(cause: unknown): Promise<void> {
    if (this.#isOver) return;
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
    this.#unsure ??= this.#last;
    const last = this.#unsure;
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
      this.#messages = undefined;
      end();
    }
  }

  async #lookWhetherAnew(last: Last, messages: ConsumerReading): Promise<void> {
    // The reading after this one looks by itself.
    const isWanted = () => !this.#closed && this.#messages === messages;
    const isAnew = await isMadeAnew(last, this.#leader(isWanted)).catch(() => undefined);
    if (isAnew === undefined || !isWanted()) return;
    this.#unsure = undefined;
    if (!isAnew) return;
    if (this.#last === last) this.#last = undefined;
    const { from, then } = this.#onwards(last);
    this.transport.alert(`${this.what.stream} was lost and made anew, or is older than what was read of it: ${then}`);
    if (from === undefined) return;
    this.#anew = from;
    messages.stop();
  }

  #leader(isWanted: () => boolean): Leader {
    return {
      now: async () => {
        const { created, state } = await triedAnew(() => this.#info());
        return { createdAt: Date.parse(created), lastSequence: state.last_seq };
      },
      nextFrom: async (sequence) => {
        const { streams } = await this.#manager();
        const next = { seq: sequence, next_by_subj: EVERY };
        const message = await triedAnew(() => streams.getMessage(this.what.stream, next));
        return message === null ? undefined : { sequence: message.seq, at: message.time.getTime() };
      },
      again: async () => {
        await pause(ASK_AGAIN_MS, undefined, { ref: false });
        return isWanted();
      },
    };
  }

  /** From where one that was made anew is read, and what an operator has to know of that. */
  #onwards({ at }: Last): { readonly from?: ReadFrom; readonly then: string } {
    if (this.what.isReadAnew === true)
      return {
        from: { everything: true },
        then: 'all that it has is read again; what it no longer has stays known here until this service is started again',
      };
    if ('since' in this.what.from)
      return { from: { since: at - SLACK_MS }, then: 'what came since is read, and the minute before again' };
    return { then: 'what comes up to the place that was read may not be heard; start this service again' };
  }

  #manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.transport.connection, { checkAPI: false });
  }

  async #info(): Promise<StreamInfo> {
    const { streams } = await this.#manager();
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
