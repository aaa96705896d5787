/**
 * Listeners of the event bus: server-sent events and WebSockets. Each sees what its login may: everything when the policy lets it
 * read everyone's jobs, else only what tells of its own.
 *
 * A stream ends with its token; who comes back with `Last-Event-ID` misses nothing. Spec: docs/http-api.md#events.
 */
import { GAP_TAG } from '@natrium/events';
import { UnauthorizedException } from '@nestjs/common';
import type { Response } from 'express';
import type { WebSocket } from 'ws';
import type { Logger } from 'pino';
import type { EventFeed, FeedEvent } from '../event-feed.js';
import { type EventForm, sendEvent, textOf } from './sent-event.js';
import type { From, Session, Sessions } from './sessions.js';

export interface Listener {
  readonly token: string;
  readonly session: Session;
  /** A cursor, or `now`. */
  readonly from: string;
  readonly client: From;
}

interface Open {
  readonly listener: Listener;
  readonly sink: Sink;
  /** As of the last look that was answered, and when that was, by a clock that nobody sets. */
  session: Session;
  lookedAt: number;
  /** undefined: nothing is said while nothing happens. */
  readonly beats: NodeJS.Timeout | undefined;
  readonly stop: () => void;
}

/** What a stream writes into. */
interface Sink {
  write(event: FeedEvent): void;
  /** Says that the connection lives, as proxies close silent ones; undefined where nothing could say it that is no event. */
  readonly beat?: () => void;
  /** Bytes that the client has not taken yet. */
  waiting(): number;
  end(): void;
}

const BEAT_MS = 15_000;
const RETRY = 'retry: 400\n';
/** How often a session is looked at again: it may have been ended, or its rights changed. */
const CHECK_MS = 5000;
/** How long the last answer counts while nobody can say that a session lives: an acl-service that starts anew ends no stream. */
const UNSURE_MS = 30_000;
/** Bytes. A client that is further behind is cut off, and comes back with `Last-Event-ID`. */
const MAX_WAITING = 4 << 20;
/** A client whose stream has ended and that takes nothing of the rest for so long loses its connection. */
const STUCK_MS = 30_000;
const MAX_TIMER = 0x7fffffff;

export class EventStreams {
  readonly #open = new Set<Open>();
  /** Those who hear what comes: one subscription serves all of them. */
  readonly #live = new Set<Open>();
  #endLive: () => void = () => undefined;
  #closed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly feed: EventFeed,
    private readonly sessions: Sessions,
    private readonly log: Logger,
    private readonly stuckMs = STUCK_MS,
  ) {
    this.#timer = setInterval(() => void this.#checkAll(), CHECK_MS).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const { stop } of this.#open) stop();
  }

  /** @param form `with id`: for a client that knows server-sent events. Any other gets Salt's two lines and nothing else. */
  open(res: Response, listener: Listener, form: EventForm): void {
    // A client that left while its session was looked at has no `close` left to be heard.
    if (res.destroyed || res.closed) return;
    // So that a client that is gone without a word is noticed even while nothing is sent.
    res.socket?.setNoDelay(true).setKeepAlive(true, BEAT_MS);
    res.writeHead(200, {
      'Content-Type': 'text/event-stream;charset=utf-8',
      'Cache-Control': 'no-cache',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    });
    if (res.req.method === 'HEAD') {
      res.end();
      return;
    }
    // There may be nothing to take for hours; what waits for a client that takes nothing is looked at by itself.
    res.setTimeout(0);
    res.write(RETRY);
    const stop = this.#follow(listener, {
      write: (event) => {
        sendEvent(res, event, form);
      },
      // Neither a comment nor an empty block, which some readers take for an event: the field that each stream begins with.
      ...(form === 'plain' ? {} : { beat: () => res.write(RETRY) }),
      waiting: () => res.writableLength,
      // Whoever still reads gets whole events to the last. (A WebSocket has such a limit of its own.)
      end: () => res.setTimeout(this.stuckMs).end(),
    });
    res.on('close', stop);
  }

  openSocket(socket: WebSocket, listener: Listener): void {
    // As above: a socket that is closed already tells no end.
    if (socket.readyState !== socket.OPEN) return;
    const stop = this.#follow(listener, {
      write: (event) => {
        socket.send(`data: ${textOf(event)}\n\n`);
      },
      beat: () => {
        socket.ping();
      },
      waiting: () => socket.bufferedAmount,
      end: () => {
        socket.close(1000);
      },
    });
    socket.on('close', stop);
  }

  #follow(listener: Listener, sink: Sink): () => void {
    const abort = new AbortController();
    const { beat } = sink;
    const beats = beat === undefined ? undefined : setInterval(beat, BEAT_MS);
    let end: NodeJS.Timeout | undefined;
    const endInTime = () => {
      const left = this.sessions.leftOf(listener.session);
      end = setTimeout(left > MAX_TIMER ? endInTime : stop, Math.min(left, MAX_TIMER));
    };
    const stop = () => {
      if (!this.#open.delete(open)) return;
      for (const timer of [beats, end]) clearTimeout(timer);
      abort.abort();
      this.#leave(open);
      sink.end();
    };
    const open: Open = { listener, sink, session: listener.session, lookedAt: performance.now(), beats, stop };
    this.#open.add(open);
    endInTime();
    // It may have been closed while the session was looked at.
    if (this.#closed) stop();
    else if (listener.from === 'now') this.#join(open);
    else this.#pump(listener.from, abort.signal, new Set([open]));
    return stop;
  }

  #join(open: Open): void {
    this.#live.add(open);
    if (this.#live.size > 1) return;
    const abort = new AbortController();
    this.#endLive = () => {
      abort.abort();
    };
    this.#pump('now', abort.signal, this.#live);
  }

  #leave(open: Open): void {
    if (this.#live.delete(open) && this.#live.size === 0) this.#endLive();
  }

  #pump(from: string, signal: AbortSignal, listeners: ReadonlySet<Open>): void {
    this.#pass(from, signal, listeners)
      .catch((cause: unknown) => {
        this.log.error({ err: cause }, 'listeners of events were lost');
      })
      .finally(() => {
        // Cut off, listeners come back and miss nothing. Those who joined after an abort are served by another pump.
        if (!signal.aborted) for (const { stop } of listeners) stop();
      });
  }

  async #pass(from: string, signal: AbortSignal, listeners: ReadonlySet<Open>): Promise<void> {
    const namesOwners = () => [...listeners].some(({ session }) => session.sees !== 'all');
    for await (const event of this.feed.subscribe({ from, namesOwners, signal })) {
      if (signal.aborted) return;
      for (const open of listeners) this.#tell(open, event);
    }
  }

  /** One that cannot be told is cut off; the others hear on. */
  #tell({ session, sink, beats, stop }: Open, event: FeedEvent): void {
    try {
      if (maySee(session, event)) {
        sink.write(event);
        // An event shows as well as a beat that the connection lives.
        beats?.refresh();
      }
      if (sink.waiting() > MAX_WAITING) stop();
    } catch (cause) {
      this.log.error({ err: cause }, 'a listener of events was lost');
      stop();
    }
  }

  /** One look for each token, however many listen with it. */
  async #checkAll(): Promise<void> {
    const byToken = new Map<string, Open[]>();
    for (const one of this.#open) {
      const same = byToken.get(one.listener.token);
      if (same === undefined) byToken.set(one.listener.token, [one]);
      else same.push(one);
    }
    await Promise.all([...byToken].map(([token, listeners]) => this.#check(token, listeners)));
  }

  async #check(token: string, listeners: readonly Open[]): Promise<void> {
    const [first] = listeners;
    if (first === undefined) return;
    try {
      const session = await this.sessions.check(token, first.listener.client, false);
      for (const one of listeners) Object.assign(one, { session, lookedAt: performance.now() });
    } catch (cause) {
      const isOver = cause instanceof UnauthorizedException;
      for (const { lookedAt, stop } of listeners) if (isOver || performance.now() - lookedAt >= UNSURE_MS) stop();
    }
  }
}

function maySee({ sees, name }: Session, { tag, owner }: FeedEvent): boolean {
  // That something is missing is everybody's business: it may have been his.
  if (sees === 'all' || tag === GAP_TAG) return true;
  return owner !== undefined && (owner.kind === 'external' || owner.kind === 'token') && owner.name === name;
}
