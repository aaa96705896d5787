/**
 * A client of a bus on this host, over its JSON socket. A script needs nothing but this file's two things: `fire`, which
 * resolves when the event is stored, and `subscribe`, which iterates over what comes.
 *
 * Spec: docs/event-bus.md#the-json-socket.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { readJson, type ValueMap } from '@natrium/model';
import { connectToSocket } from '@natrium/process';
import { type Bookmark, type From, EventProblem } from '../buses/bus.js';
import type { Origin } from '../event/event.js';
import { jsonText } from '../event/json-text.js';
import type { MatchType } from '../event/tag-filter.js';
import { LineReader } from './line-reader.js';

/** JSON as a script has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export interface JsonMap {
  readonly [key: string]: Json;
}

export interface BusEvent<D extends ValueMap = JsonMap> {
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
  /** Ends when all has come that is there now; where the bus goes away before, iterating throws `BusGone`. */
  readonly until?: 'now';
  /** Hears how far the bus has come where no event says so: a cursor to go on from, as an event's is. */
  readonly passed?: (cursor: string) => void;
  /** Ends the subscription, also one that has not begun. */
  readonly signal?: AbortSignal;
  /** Numbers as they were fired: a whole one beyond 2^53 as a bigint, a float without a fraction as a `Float`. */
  readonly exact?: boolean;
}

/** Iterates over what comes. */
export interface Subscription<D extends ValueMap = JsonMap> extends AsyncIterable<BusEvent<D>> {
  /** Where it stood when it began: from it the same can be heard again. None where that was a time, or the start. */
  readonly cursor: string | undefined;
  close(): void;
}

/** The connection to the bus is gone; what was not confirmed may or may not have been fired. */
export class BusGone extends Error {
  override readonly name = 'BusGone';
  readonly code = 'ERR_BUS_GONE';
}

/** Somebody waits until an event is stored. */
interface Waiting {
  /** Of its line, in characters. */
  readonly length: number;
  readonly done: () => void;
  readonly failed: (cause: Error) => void;
}

/** Nobody who fires can know it. */
const MARK = `${randomUUID()}:`;

interface Answer {
  readonly error?: string;
  readonly id?: number;
  readonly cursor?: string;
  /** It will say when all has come that was asked for. */
  readonly bookmarks?: boolean;
}

export class EventClient {
  readonly #waiting = new Map<number, Waiting>();
  #socket: Promise<Socket> | undefined;
  #next = 0;

  /** @param path The socket: `master_event.sock` or `minion_event.sock` in `sock_dir`. */
  constructor(readonly path: string) {}

  /**
   * Resolves when the event is stored.
   *
   * @throws {EventProblem} When the bus refuses it. @throws {BusGone} When the bus went away before it said anything.
   */
  async fire(tag: string, data: ValueMap = {}): Promise<void> {
    const socket = await (this.#socket ??= this.#open());
    this.#next += 1;
    const id = this.#next;
    const line = `${jsonText({ fire: tag, data, id })}\n`;
    await new Promise<void>((done, failed) => {
      this.#waiting.set(id, { length: line.length, done, failed });
      socket.write(line);
    });
  }

  /** @throws {EventProblem} When the bus refuses it, such as for a pattern that is none. */
  subscribe(options: SubscribeOptions & { readonly exact: true }): Promise<Subscription<ValueMap>>;
  subscribe<D extends JsonMap = JsonMap>(options?: SubscribeOptions): Promise<Subscription<D>>;
  async subscribe<D extends ValueMap>(options: SubscribeOptions = {}): Promise<Subscription<D>> {
    const { tags = [], match, from, until, passed, signal, exact = false } = options;
    const socket = await opened(this.path);
    const time = typeof from === 'object' && 'time' in from ? { time: from.time / 1000 } : from;
    const bookmarks = until !== undefined || passed !== undefined;
    socket.write(`${JSON.stringify({ subscribe: tags, match, from: time, until, bookmarks })}\n`);
    let isOver = true;
    const close = () => {
      isOver = true;
      socket.destroy();
    };
    signal?.addEventListener('abort', close, { once: true });
    // A reader that comes back a hundred times has one signal for all of them.
    socket.once('close', () => signal?.removeEventListener('abort', close));
    if (signal?.aborted === true) close();
    const lines = linesOf(socket);
    const first = await lines.next();
    if (first.done === true && signal?.aborted !== true) {
      throw new BusGone(`the bus at ${this.path} closed the connection`);
    }
    const answer = first.done === true ? {} : (JSON.parse(first.value) as Answer);
    isOver = until === undefined || answer.bookmarks !== true || signal?.aborted === true;
    if (answer.error !== undefined) {
      close();
      throw new EventProblem(answer.error);
    }
    const read = (line: string) => (exact ? readJson(line, MARK) : JSON.parse(line)) as BusEvent<D> | Bookmark;
    const ended = () => {
      if (!isOver) throw new BusGone(`the bus at ${this.path} is gone, before all had come that was there`);
    };
    const hearing = { lines, read, passed, ended, close };
    return { cursor: answer.cursor, close, [Symbol.asyncIterator]: () => eventsIn(hearing) };
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

  #settle({ id = this.#longest(), error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.done();
    else waiting?.failed(new EventProblem(error));
  }

  /** An answer without an id is to a line that the bus did not read, since it was too long. */
  #longest(): number {
    let [longest, length] = [-1, 0];
    for (const [id, waiting] of this.#waiting) if (waiting.length > length) [longest, length] = [id, waiting.length];
    return longest;
  }
}

function opened(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectToSocket(path, () => {
      socket.off('error', fail).on('error', () => socket.destroy());
      resolve(socket);
    });
    const fail = ({ message }: Error) => {
      const mend = 'is its master-gateway or agent running on this host, and may this account open its socket?';
      reject(new BusGone(`no event bus answers at ${path} (${message}); ${mend}`));
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

interface Hearing<E extends object> {
  readonly lines: AsyncIterator<string>;
  readonly read: (line: string) => E | Bookmark;
  readonly passed: ((cursor: string) => void) | undefined;
  /** The connection is at its end. @throws {BusGone} When more was still to come. */
  readonly ended: () => void;
  readonly close: () => void;
}

async function* eventsIn<E extends object>(hearing: Hearing<E>): AsyncGenerator<E, void, undefined> {
  const { lines, read, passed, ended, close } = hearing;
  try {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) {
        ended();
        return;
      }
      const told = read(line.value);
      if (isEvent(told)) yield told;
      else {
        passed?.(told.cursor);
        if (told.ended === true) return;
      }
    }
  } finally {
    close();
  }
}

function isEvent<E extends object>(told: E | Bookmark): told is E {
  return 'tag' in told;
}
