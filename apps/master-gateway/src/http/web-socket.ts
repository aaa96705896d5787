/** `/ws` and `/ws/TOKEN`: the event bus as text frames, from the moment that the client has said anything. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EventStreams } from './event-streams.js';
import { sessionIn } from './guards.js';
import { type From, SESSION_ID, type Session, type Sessions, TOKEN } from './sessions.js';

/** A client says one short line. */
const MAX_FRAME = 4096;
const REFUSED = 'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const UNKNOWN = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export interface SocketParts {
  readonly prefix: string;
  readonly sessions: Sessions;
  readonly streams: EventStreams;
}

export function serveWebSockets(server: Server, { prefix, sessions, streams }: SocketParts): () => void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME, perMessageDeflate: false });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const path = (req.url ?? '').split('?', 1)[0] ?? '';
    if (!path.startsWith(`${prefix}/ws`)) {
      socket.end(UNKNOWN);
      return;
    }
    const client = { address: req.socket.remoteAddress ?? '', about: '' };
    enter(req, path.slice(prefix.length + '/ws'.length), sessions, client).then(
      ({ token, session }) => {
        sockets.handleUpgrade(req, socket, head, (webSocket) => {
          begin(webSocket, () => {
            streams.openSocket(webSocket, { token, session, from: 'now', client });
          });
        });
      },
      () => socket.end(REFUSED),
    );
  });
  return () => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  };
}

async function enter(
  req: IncomingMessage,
  rest: string,
  sessions: Sessions,
  client: From,
): Promise<{ readonly token: string; readonly session: Session }> {
  const named = /^\/([^/]+)\/?$/.exec(rest)?.[1];
  const token = named ?? sessionIn(req);
  if (!SESSION_ID.test(token) && !TOKEN.test(token)) throw new RangeError('not a token');
  return { token, session: await sessions.check(token, client) };
}

function begin(socket: WebSocket, listen: () => void): void {
  socket.on('error', () => {
    socket.terminate();
  });
  socket.once('message', listen);
}
