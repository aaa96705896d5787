/**
 * A client of a bus on this host, over its JSON socket. A script needs nothing but this file's two things: `fire`, which
 * resolves when the event is stored, and `subscribe`, which iterates over what comes.
 *
 * Spec: docs/event-bus.md#the-json-socket.
 */
import { connect, type Socket } from 'node:net';
import { type From, EventProblem } from './bus.js';
import type { Origin } from './event.js';
import { LineReader } from './line-reader.js';
import type { MatchType } from './tag-filter.js';

/** JSON as a script has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export interface JsonMap {
  readonly [key: string]: Json;
}

export interface BusEvent<D extends JsonMap = JsonMap> {
  readonly tag: string;
  readonly data: D;
  readonly stamp: string;
  /** Subscribe from it to hear what came after this event. */
  readonly cursor: string;
  readonly origin: Origin;
  readonly id: string;
}

export interface SubscribeOptions {
  /** One tag or several; none is every tag. */
  readonly tags?: string | readonly string[];
  readonly match?: MatchType;
  readonly from?: From;
  /** Ends when all has come that is there now. */
  readonly until?: 'now';
  /** Ends the subscription, also one that has not begun. */
  readonly signal?: AbortSignal;
}

/** Iterates over what comes; `cursor` is where it stood when it began. */
export interface Subscription<D extends JsonMap = JsonMap> extends AsyncIterable<BusEvent<D>> {
  readonly cursor: string;
  close(): void;
}

/** The connection to the bus is gone; what was not confirmed may or may not have been fired. */
export class BusGone extends Error {
  override readonly name = 'BusGone';
  readonly code = 'ERR_BUS_GONE';
}

interface Answer {
  readonly error?: string;
  readonly id?: number;
  readonly cursor?: string;
}

export class EventClient {
  readonly #waiting = new Map<number, { readonly done: () => void; readonly failed: (cause: Error) => void }>();
  #socket: Promise<Socket> | undefined;
  #next = 0;

  /** @param path The socket: `master_event.sock` or `minion_event.sock` in `sock_dir`. */
  constructor(readonly path: string) {}

  /**
   * Resolves when the event is stored.
   *
   * @throws {EventProblem} When the bus refuses it. @throws {BusGone} When the bus went away before it said anything.
   */
  async fire(tag: string, data: JsonMap = {}): Promise<void> {
    const socket = await (this.#socket ??= this.#open());
    this.#next += 1;
    const id = this.#next;
    await new Promise<void>((done, failed) => {
      this.#waiting.set(id, { done, failed });
      socket.write(`${JSON.stringify({ fire: tag, data, id })}\n`);
    });
  }

  /** @throws {EventProblem} When the bus refuses it, such as for a pattern that is none. */
  async subscribe<D extends JsonMap = JsonMap>(options: SubscribeOptions = {}): Promise<Subscription<D>> {
    const { tags = [], match, from, until, signal } = options;
    const socket = await opened(this.path);
    const time = typeof from === 'object' && 'time' in from ? { time: from.time / 1000 } : from;
    socket.write(`${JSON.stringify({ subscribe: tags, match, from: time, until })}\n`);
    const close = () => socket.destroy();
    signal?.addEventListener('abort', close, { once: true });
    if (signal?.aborted === true) close();
    const lines = linesOf(socket);
    const first = await lines.next();
    if (first.done === true && signal?.aborted !== true) {
      throw new BusGone(`the bus at ${this.path} closed the connection`);
    }
    const answer = first.done === true ? {} : (JSON.parse(first.value) as Answer);
    if (answer.error !== undefined) {
      close();
      throw new EventProblem(answer.error);
    }
    return { cursor: answer.cursor ?? '', close, [Symbol.asyncIterator]: () => eventsIn<D>(lines, close) };
  }

  async close(): Promise<void> {
    const socket = await this.#socket?.catch(() => undefined);
    socket?.destroy();
  }

  async #open(): Promise<Socket> {
    try {
      const socket = await opened(this.path);
      const reader = new LineReader();
      socket.on('data', (chunk: Buffer) => {
        for (const line of reader.take(chunk)) this.#settle(JSON.parse(line) as Answer);
      });
      socket.once('close', () => {
        this.#socket = undefined;
        for (const { failed } of this.#waiting.values()) failed(new BusGone(`the bus at ${this.path} is gone`));
        this.#waiting.clear();
      });
      return socket;
    } catch (error) {
      this.#socket = undefined;
      throw error;
    }
  }

  #settle({ id = -1, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.done();
    else waiting?.failed(new EventProblem(error));
  }
}

function opened(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.off('error', fail).on('error', () => socket.destroy());
      resolve(socket);
    });
    const fail = ({ message }: Error) => {
      reject(new BusGone(`no event bus answers at ${path} (${message})`));
    };
    socket.once('error', fail);
  });
}

/** To the end of the connection, whoever ends it, or however it breaks. */
async function* linesOf(socket: Socket): AsyncGenerator<string, void, undefined> {
  const reader = new LineReader();
  try {
    for await (const chunk of socket) yield* reader.take(chunk as Buffer);
  } catch {
    // What came before it has been heard.
  }
}

async function* eventsIn<D extends JsonMap>(
  lines: AsyncIterator<string>,
  close: () => void,
): AsyncGenerator<BusEvent<D>, void, undefined> {
  try {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) return;
      yield JSON.parse(line.value) as BusEvent<D>;
    }
  } finally {
    close();
  }
}
