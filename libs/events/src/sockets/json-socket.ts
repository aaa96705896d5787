/**
 * The bus for any language: one JSON object a line. `{"subscribe": …}` → lines of events, `{"fire": tag, "data": {…}}` → a
 * line that says that it is stored.
 *
 * Spec: docs/event-bus.md#the-json-socket.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Float, isList, isMap, readJson, type Value, type ValueMap } from '@natrium/model';
import { type Bookmark, EventProblem, type EventFeed, type From, type Listen, type Listening } from '../buses/bus.js';
import { lineOf, type Origin, timeOf } from '../event/event.js';
import { jsonText } from '../event/json-text.js';
import { MATCH_TYPES, type MatchType } from '../event/tag-filter.js';
import { LineReader } from './line-reader.js';
import { drained, listenAt, MAX_UNSETTLED, type SocketPlace, type UnixServer } from './unix-server.js';

/** What whoever may open the socket may do; without it, everything. */
export interface SocketRights {
  mayRead(tag: string): boolean;
  mayFire(tag: string): boolean;
}

export interface JsonSocketOptions {
  readonly feed: EventFeed & { readonly cursor: string };
  readonly place: SocketPlace;
  readonly origin: Origin;
  /** Names this process: a client sees in the greeting whom it has reached. */
  readonly instance: string;
  readonly rights?: SocketRights;
  /** Largest data of an event in bytes; how large one is, the feed says. */
  readonly maxBytes: number;
}

/** Characters of JSON for a byte of data, as Python writes it: `\u0001` is six, `false, ` seven. */
const CHARACTERS_PER_BYTE = 8;
/** A text has an end, too. */
const LONGEST_LINE = 1 << 28;
/** Whoever has said all may listen for ever, and nothing tells when it has left. */
const PROBE_MS = 5000;

/** Bytes of answers that wait for whoever asked to read them; beyond, it is not heard. */
const MAX_UNREAD = 1 << 20;
/** No client can know it. */
const MARK = `${randomUUID()}:`;

export function serveJsonSocket(options: JsonSocketOptions): Promise<UnixServer> {
  const serve = (socket: Socket) => {
    new Conversation(options, socket).begin();
  };
  return listenAt(options.place, serve, { allowHalfOpen: true });
}

class Conversation {
  /** None after a line that was too long: what follows is let go. */
  #reader: LineReader | undefined = new LineReader();
  #unsettled = 0;
  #listening: Listening | undefined;
  /** Nothing more is asked or told; what was asked before is still answered. */
  #isOver = false;
  readonly #longest: number;

  constructor(
    private readonly options: JsonSocketOptions,
    private readonly socket: Socket,
  ) {
    this.#longest = Math.min(options.maxBytes * CHARACTERS_PER_BYTE, LONGEST_LINE);
  }

  begin(): void {
    const { socket } = this;
    const readOn = () => {
      this.#readOn();
    };
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on('drain', readOn).on('finish', readOn);
    socket.on('end', () => {
      this.#hearNoMore();
    });
    socket.on('close', () => this.#listening?.close());
  }

  #hearNoMore(): void {
    if (this.#listening === undefined) this.#finish();
    else endWhenLeft(this.socket);
  }

  #finish(): void {
    this.#isOver = true;
    if (this.#unsettled === 0) this.socket.end();
  }

  #take(chunk: Buffer): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    for (const line of reader.take(chunk)) if (line.trim() !== '') this.#answer(line);
    if (reader.waiting > this.#longest) this.#turnAway();
    if (this.#unsettled >= MAX_UNSETTLED || this.socket.writableLength >= MAX_UNREAD) this.socket.pause();
  }

  /** Not even the end of the line is waited for: its sender has heard that it counts for nothing. */
  #turnAway(): void {
    this.#reader = undefined;
    this.#say({ error: `a line is longer than ${String(this.#longest)} characters` });
    this.#listening?.close();
    this.#finish();
  }

  #answer(line: string): void {
    let asked: Value = null;
    try {
      asked = readJson(line, MARK);
      if (!isMap(asked)) throw new EventProblem('a line is a JSON object: {"subscribe": …} or {"fire": …}');
      if ('fire' in asked) this.#fire(asked);
      else if ('subscribe' in asked) this.#subscribe(asked);
      else throw new EventProblem('a line has "subscribe" or "fire"');
    } catch (error) {
      this.#refuse(error, isMap(asked) ? asked : {});
    }
  }

  #fire(asked: ValueMap): void {
    const { fire: tag, data = {}, ack } = asked;
    if (typeof tag !== 'string') throw new EventProblem('"fire" is the tag of the event, a text');
    if (!isMap(data)) throw new EventProblem('"data" is a map');
    if (this.options.rights?.mayFire(tag) === false) throw new EventProblem(`event_acl does not let you fire ${tag}`);
    this.#unsettled += 1;
    this.options.feed.fire(tag, data, this.options.origin).then(
      () => {
        if (ack !== false) this.#say({ fired: true, ...idOf(asked) });
        this.#settle();
      },
      (error: unknown) => {
        this.#refuse(error, asked);
        this.#settle();
      },
    );
  }

  /** What was fired is settled, and its answer is said. */
  #settle(): void {
    this.#unsettled -= 1;
    if (this.#isOver && this.#unsettled === 0) this.socket.end();
    else this.#readOn();
  }

  #readOn(): void {
    const mayRead = this.#unsettled < MAX_UNSETTLED / 2 && this.socket.writableLength < MAX_UNREAD;
    if (mayRead && this.socket.isPaused()) this.socket.resume();
  }

  #subscribe(asked: ValueMap): void {
    if (this.#listening !== undefined) throw new EventProblem('this connection has subscribed already; open another');
    const { feed, instance, rights } = this.options;
    const listen = listenIn(asked);
    const mayHear = rights === undefined ? {} : { mayHear: (tag: string) => rights.mayRead(tag) };
    const listening = feed.subscribe({ ...listen, ...mayHear });
    this.#listening = listening;
    // Who does not hear this asked a bus of an earlier version, which says no end.
    const bookmarks = listen.bookmarks === true ? { bookmarks: true } : {};
    this.#say({ subscribed: true, ...placeOf(listen, feed.cursor), ...bookmarks, instance, ...idOf(asked) });
    void this.#pass(listening);
  }

  async #pass(listening: Listening): Promise<void> {
    for (;;) {
      const events = await listening.take();
      if (!this.socket.writable) break;
      const lines = (events ?? []).map(lineOf);
      if (listening.bookmark !== undefined) lines.push(bookmarkLine(listening.bookmark));
      if (lines.length > 0 && !this.socket.write(lines.join(''))) await drained(this.socket);
      if (events === undefined) break;
    }
    this.#finish();
  }

  #refuse(error: unknown, asked: ValueMap): void {
    const said =
      error instanceof EventProblem || error instanceof RangeError
        ? error.message
        : error instanceof SyntaxError
          ? 'a line is no JSON'
          : 'it failed here';
    this.#say({ error: said, ...idOf(asked) });
  }

  /** What one turn of the event loop says goes out in one write. */
  #say(answer: ValueMap): void {
    const { socket } = this;
    if (socket.destroyed || !socket.writable) return;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => {
        socket.uncork();
      });
    }
    socket.write(`${jsonText(answer)}\n`);
  }
}

/** The kernel refuses even the writing of nothing to a socket whose other side is gone; one that only says no more takes it. */
function endWhenLeft(socket: Socket): void {
  const probe = () => {
    if (socket.writableLength === 0) socket.write('');
  };
  const timer = setInterval(probe, PROBE_MS).unref();
  socket.once('close', () => {
    clearInterval(timer);
  });
  probe();
}

/** Where a listener stands that has heard nothing yet; only the journal could say that of a time, or of the start. */
function placeOf({ from = 'now' }: Listen, now: string): ValueMap {
  if (from === 'now') return { cursor: now };
  return typeof from === 'object' && 'cursor' in from ? { cursor: from.cursor } : {};
}

/** It has no tag, by which a reader knows it from an event. */
function bookmarkLine({ cursor, ended }: Bookmark): string {
  return `${jsonText(ended === true ? { ended, cursor } : { bookmark: true, cursor })}\n`;
}

function idOf({ id }: ValueMap): ValueMap {
  return id === undefined ? {} : { id };
}

function listenIn({ subscribe, match, from, until, limit, bookmarks }: ValueMap): Listen {
  const tags = typeof subscribe === 'string' ? [subscribe] : subscribe;
  if (!isList(tags) || !tags.every((tag) => typeof tag === 'string')) {
    throw new EventProblem('"subscribe" is a tag or a list of tags; [] is every tag');
  }
  return {
    tags,
    ...(match === undefined ? {} : { match: matchIn(match) }),
    ...(from === undefined ? {} : { from: fromIn(from) }),
    ...(until === undefined ? {} : { until: untilIn(until) }),
    ...(limit === undefined ? {} : { limit: limitIn(limit) }),
    ...(bookmarks === true ? { bookmarks } : {}),
  };
}

const MAX_LIMIT = 100_000;

function limitIn(limit: Value): number {
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new EventProblem(`"limit" is a whole number from 1 to ${String(MAX_LIMIT)}`);
}

function untilIn(until: Value): 'now' {
  if (until === 'now') return until;
  throw new EventProblem('"until" is "now", or left out');
}

function matchIn(match: Value): MatchType {
  const known = MATCH_TYPES.find((type) => type === match);
  if (known === undefined) throw new EventProblem(`"match" is one of ${MATCH_TYPES.join(', ')}`);
  return known;
}

/** The last that ISO 8601 writes with four digits for the year. */
const LAST_MS = 253_402_300_799_999;

function fromIn(from: Value): From {
  if (from === 'now' || from === 'start') return from;
  if (typeof from === 'string') return { cursor: from };
  if (isMap(from) && typeof from['cursor'] === 'string') return { cursor: from['cursor'] };
  const ms = msOf(isMap(from) ? from['time'] : undefined);
  if (Number.isNaN(ms)) throw new EventProblem('"from" is "now", "start", a cursor, or {"time": seconds or ISO 8601}');
  if (ms < 0 || ms > LAST_MS) throw new EventProblem('the time of "from" is not between 1970 and the end of 9999');
  return { time: ms };
}

function msOf(time: Value | undefined): number {
  if (typeof time === 'string') return timeOf(time);
  const seconds = time instanceof Float ? time.value : time;
  return typeof seconds === 'number' ? seconds * 1000 : Number.NaN;
}
