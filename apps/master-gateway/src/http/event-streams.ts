/**
 * Listeners of the event bus: server-sent events and WebSockets. Each sees what its login may: everything when the policy lets it
 * read everyone's jobs, else only what tells of its own.
 *
 * A stream ends with its token; who comes back with `Last-Event-ID` misses nothing. Spec: docs/http-api.md#events.
 */
import type { Response } from 'express';
import type { WebSocket } from 'ws';
import { json } from '@natrium/output';
import type { Logger } from 'pino';
import type { EventFeed, FeedEvent } from '../event-feed.js';
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
  /** As of the last look. */
  session: Session;
  readonly stop: () => void;
}

/** What a stream writes into. */
interface Sink {
  write(event: FeedEvent): void;
  /** Says that the connection lives; proxies close silent ones. */
  beat(): void;
  /** Bytes that the client has not taken yet. */
  waiting(): number;
  end(): void;
}

const BEAT_MS = 15_000;
/** How often a session is looked at again: it may have been ended, or its rights changed. */
const CHECK_MS = 5000;
/** Who is further behind is cut off, and comes back with `Last-Event-ID`. */
const MAX_WAITING = 4 << 20;
const MAX_TIMER = 0x7fffffff;

export class EventStreams {
  readonly #open = new Map<symbol, Open>();
  readonly #rendered = new WeakMap<FeedEvent, string>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly feed: EventFeed,
    private readonly sessions: Sessions,
    private readonly log: Logger,
  ) {
    this.#timer = setInterval(() => void this.#checkAll(), CHECK_MS).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { stop } of this.#open.values()) stop();
  }

  open(res: Response, listener: Listener): void {
    res.socket?.setNoDelay(true);
    res.writeHead(200, {
      'Content-Type': 'text/event-stream;charset=utf-8',
      'Cache-Control': 'no-cache',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    });
    res.write('retry: 400\n');
    const stop = this.#follow(listener, {
      write: (event) => res.write(`id: ${event.cursor}\ntag: ${event.tag}\ndata: ${this.#text(event)}\n\n`),
      beat: () => res.write(': still here\n\n'),
      waiting: () => res.writableLength,
      end: () => res.end(),
    });
    res.on('close', stop);
  }

  openSocket(socket: WebSocket, listener: Listener): void {
    const stop = this.#follow(listener, {
      write: (event) => {
        socket.send(`data: ${this.#text(event)}\n\n`);
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
    const key = Symbol('listener');
    const left = listener.session.expire - Date.now();
    const timers = [
      setInterval(() => {
        sink.beat();
      }, BEAT_MS),
      setTimeout(
        () => {
          stop();
        },
        Math.min(Math.max(left, 0), MAX_TIMER),
      ),
    ];
    const stop = () => {
      if (!this.#open.delete(key)) return;
      for (const timer of timers) clearTimeout(timer);
      abort.abort();
      sink.end();
    };
    this.#open.set(key, { listener, session: listener.session, stop });
    this.#pump(key, listener.from, abort.signal, sink).catch((cause: unknown) => {
      this.log.error({ err: cause }, 'a listener of events was lost');
      stop();
    });
    return stop;
  }

  async #pump(key: symbol, from: string, signal: AbortSignal, sink: Sink): Promise<void> {
    for await (const event of this.feed.subscribe({ from, signal })) {
      const open = this.#open.get(key);
      if (open === undefined) return;
      if (maySee(open.session, event)) sink.write(event);
      if (sink.waiting() > MAX_WAITING) open.stop();
    }
  }

  /** One look for each token, however many listen with it. */
  async #checkAll(): Promise<void> {
    const byToken = new Map<string, Open[]>();
    for (const one of this.#open.values()) {
      const { token } = one.listener;
      byToken.set(token, [...(byToken.get(token) ?? []), one]);
    }
    await Promise.all([...byToken].map(([token, listeners]) => this.#check(token, listeners)));
  }

  async #check(token: string, listeners: readonly Open[]): Promise<void> {
    const [first] = listeners;
    if (first === undefined) return;
    try {
      const session = await this.sessions.check(token, first.listener.client);
      for (const one of listeners) one.session = session;
    } catch {
      // Ended, or nobody can say that it lives.
      for (const { stop } of listeners) stop();
    }
  }

  #text(event: FeedEvent): string {
    const known = this.#rendered.get(event);
    if (known !== undefined) return known;
    const text = json({ tag: event.tag, data: event.data }, { indent: -1, color: false });
    this.#rendered.set(event, text);
    return text;
  }
}

function maySee({ sees, name }: Session, { owner }: FeedEvent): boolean {
  if (sees === 'all') return true;
  return owner !== undefined && (owner.kind === 'external' || owner.kind === 'token') && owner.name === name;
}
