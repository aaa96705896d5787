/**
 * `/ws`, `/ws/TOKEN` and `/ws?token=TOKEN`: the event bus as text frames, once the client has said anything and its session was looked
 * at again. Each of its messages is answered, as Salt does.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceUnavailableException } from '@nestjs/common';
import type { Request } from 'express';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EventStreams } from './event-streams.js';
import { isLetIn, listenerTokenIn } from './guards.js';
import type { HttpOptions } from './http-options.js';
import { plainTarget } from './paths.js';
import type { From, Sessions } from './sessions.js';

/** With the token, where the path names one. */
const PATH = /^\/ws(?:\/([^/]+))?\/?$/;
/** A client says one short line. */
const MAX_FRAME = 4096;
/** Within which it says that. */
const SILENT_MS = 30_000;
/** Clients of Salt wait for it. */
const RECEIVED = 'server received message';
const REFUSED = 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const FORBIDDEN = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const UNKNOWN = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
/** What node itself says of a request. */
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
      refuse(socket, FORBIDDEN);
      return;
    }
    const [path = '', query = ''] = plainTarget(req.url).split('?', 2);
    const named = path.startsWith(prefix) ? PATH.exec(path.slice(prefix.length)) : null;
    if (named === null) {
      refuse(socket, UNKNOWN);
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
        refuse(socket, cause instanceof ServiceUnavailableException ? UNAVAILABLE : REFUSED);
      },
    );
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  };
}

/** None of the server's limits holds for this connection any more: whoever keeps his half of it open would keep it for ever. */
function refuse(socket: Duplex, answer: string): void {
  socket.end(answer, () => socket.destroy());
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

/** Whoever says nothing, or is gone without a word, holds no connection for long. */
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
    // Whoever does not take his answers is not listened to meanwhile: they would pile up here.
    socket.pause();
    listening ??= listen();
    // Whoever is told has a listener, and misses nothing from then on.
    listening.then(() => {
      socket.send(RECEIVED, () => {
        socket.resume();
      });
    }, end);
  });
}
