/**
 * `/ws`, `/ws/TOKEN` and `/ws?token=TOKEN`: the event bus as text frames, once the client has said anything and its session was looked
 * at again. Each of its messages is answered, as Salt does.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceUnavailableException } from '@nestjs/common';
import type { Request } from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EventStreams } from './event-streams.js';
import { isLetIn, listenerTokenIn } from './guards.js';
import type { HttpOptions } from './http-options.js';
import { plainTarget, withoutPrefix } from './paths.js';
import type { From, Sessions } from './sessions.js';

/** With the token, where the path names one. */
const PATH = /^\/ws(?:\/([^/]+))?\/?$/;
/** A client says one short line. */
const MAX_FRAME = 4096;
/** And says it within this time. */
const SILENT_MS = 30_000;
/** Clients of Salt wait for it. */
const RECEIVED = 'server received message';
/** Where a request keeps what Node itself has set as its `upgrade`. */
const ASKED = Symbol('asked');

export interface SocketParts extends Pick<HttpOptions, 'prefix' | 'addresses'> {
  readonly sessions: Sessions;
  readonly streams: EventStreams;
  readonly silentMs?: number;
}

/** The requests are of Express's kind, but pass none of its guards. */
interface Upgrades {
  on(event: 'upgrade', heed: (req: Request, socket: Duplex, head: Buffer) => void): unknown;
}

export function serveWebSockets(server: Upgrades, parts: SocketParts): () => void {
  const { prefix, addresses, sessions, streams, silentMs = SILENT_MS } = parts;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME, perMessageDeflate: false });
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (!isLetIn(req, addresses)) {
      refuse(socket, 403);
      return;
    }
    const [path = '', query = ''] = withoutPrefix(plainTarget(req.url), prefix).split('?', 2);
    const named = PATH.exec(path);
    if (named === null) {
      refuse(socket, 404);
      return;
    }
    const client = { address: req.ip ?? '', about: '' };
    enter(req, [named[1], new URLSearchParams(query).get('token')], sessions, client).then(
      (token) => {
        sockets.handleUpgrade(req, socket, head, (webSocket) => {
          begin(webSocket, silentMs, async () => {
            // It may have ended since the upgrade.
            const session = await sessions.check(token, client);
            streams.openSocket(webSocket, { token, session, from: 'now', client });
          });
        });
      },
      (cause: unknown) => {
        refuse(socket, cause instanceof ServiceUnavailableException ? 503 : 401);
      },
    );
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  };
}

/** The server's own limits no longer hold for this connection: a client that keeps its half open would hold it for ever, so it is destroyed. */
function refuse(socket: Duplex, status: 401 | 403 | 404 | 503): void {
  const head = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`;
  socket.end(`${head}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/**
 * Node takes every request that asks for another protocol from the API. Who only offers one, such as HTTP/2 in clear (`Upgrade: h2c`,
 * as curl and Java's client do), wants an answer all the same: of such a request it hears that it asks for nothing.
 */
export function upgradeOnlyWebSockets(prototype: IncomingMessage): void {
  Object.defineProperty(prototype, 'upgrade', {
    get(this: IncomingMessage & { [ASKED]?: unknown }): boolean {
      return this[ASKED] === true && (this.method === 'CONNECT' || /^websocket$/i.test(this.headers.upgrade ?? ''));
    },
    set(this: IncomingMessage & { [ASKED]?: unknown }, asked: unknown) {
      this[ASKED] = asked;
    },
  });
}

async function enter(req: Request, named: readonly unknown[], sessions: Sessions, client: From): Promise<string> {
  const token = listenerTokenIn(req, named);
  await sessions.check(token, client);
  return token;
}

/** Begins with the client's first message. A client that says nothing, or is gone without a word, holds its connection for `silentMs` only. */
function begin(socket: WebSocket, silentMs: number, listen: () => Promise<void>): void {
  const end = () => {
    socket.terminate();
  };
  const silence = setTimeout(end, silentMs).unref();
  socket.on('error', end);
  socket.on('close', () => {
    clearTimeout(silence);
  });
  let listening: Promise<void> | undefined;
  socket.on('message', () => {
    clearTimeout(silence);
    // Nothing more is read until the answer has left: answers to a client that takes none would pile up here.
    socket.pause();
    listening ??= listen();
    // Told only once its listener is there, so that the client misses nothing from then on.
    listening.then(() => {
      socket.send(RECEIVED, () => {
        socket.resume();
      });
    }, end);
  });
}
