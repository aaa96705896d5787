/** The HTTP API's server: Nest on Express, with limits on all that a client may send, and on how long it may take. */
import { createServer, IncomingMessage, type OutgoingHttpHeaders, type Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { type DynamicModule, Module, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { listenTrouble } from '@natrium/edge';
import { STOP_MS, within } from '@natrium/process';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { type Answered, answered } from './answered.js';
import { Api } from './api.js';
import { EventController, FleetController, LoginController, RootController, UiController } from './controllers.js';
import { answerError, ErrorFilter } from './error-filter.js';
import type { EventStreams } from './event-streams.js';
import {
  admit,
  bounded,
  headers,
  identify,
  knownEncoding,
  knownFirst,
  roomAt,
  strangers,
  takesBody,
} from './guards.js';
import type { HttpOptions } from './http-options.js';
import { followCertificate } from './http-tls.js';
import { openApiDoors } from './openapi.js';
import { allowedMethods, ownPaths, withoutSessions } from './paths.js';
import type { Sessions } from './sessions.js';
import { staticApp } from './static-app.js';
import { uiPage } from './ui-page.js';
import { serveWebSockets, upgradeOnlyWebSockets } from './web-socket.js';
import { WholeJobs } from './whole-jobs.js';

const HEADERS_MS = 10_000;
/** For the whole of a request to come in; how long its answer takes is another matter. */
const REQUEST_MS = 30_000;
const IDLE_MS = 65_000;
/** A client that takes nothing of its answer for so long loses its connection. A stream of events has a limit of its own. */
const TAKEN_MS = 30_000;
/** Requests on one connection that are not answered yet. Node begins with all that come in one piece, and holds their answers. */
const MAX_PIPELINED = 16;
const MAX_HEADERS = 100;
const MAX_CONNECTIONS = 10_000;
const LOOK_MS = 100;
/** That say where it listens. */
const SETTINGS = 'http_port, rest_cherrypy, or NATRIUM_HTTP_PORT';

export interface HttpParts {
  readonly api: Api;
  readonly sessions: Sessions;
  readonly streams: EventStreams;
  readonly jobs: WholeJobs;
  /** Hears of each answer. */
  readonly tell?: (answered: Answered) => void;
  readonly log: Logger;
  /** Milliseconds in which a client has to take something of its answer. */
  readonly takenMs?: number;
}

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

@Module({})
class HttpModule {
  static of(api: Api, jobs: WholeJobs): DynamicModule {
    return {
      module: HttpModule,
      controllers: [RootController, LoginController, FleetController, EventController, UiController],
      providers: [
        { provide: Api, useValue: api },
        { provide: WholeJobs, useValue: jobs },
      ],
    };
  }
}

/**
 * Express gives each request and response its own prototype, and V8 then forgets what it knew of their shapes; here
 * both are made with that prototype (6 % of the gateway's time under `POST /`).
 */
class OwnPrototypes extends ExpressAdapter {
  /** From then on each answer is the last on its connection. */
  closing = false;

  constructor(
    server: Express,
    private readonly takenMs: number,
  ) {
    super(server);
  }

  override initHttpServer({ httpsOptions }: NestApplicationOptions): void {
    class Req extends IncomingMessage {}
    const isClosing = () => this.closing;
    const { takenMs } = this;
    class Res extends ServerResponse {
      override writeHead(status: number, ...more: unknown[]): this {
        if (isClosing()) this.shouldKeepAlive = false;
        this.setTimeout(takenMs);
        // The next one on this connection may be waited for, before it is taken.
        this.prependOnceListener('finish', () => this.setTimeout(0));
        return super.writeHead(status, ...(more as [OutgoingHttpHeaders?]));
      }
    }
    const app = this.getInstance<Express>();
    Object.assign(Object.setPrototypeOf(Req.prototype, app.request), { app });
    Object.assign(Object.setPrototypeOf(Res.prototype, app.response), { app });
    upgradeOnlyWebSockets(Req.prototype);
    app.request = Req.prototype as never;
    app.response = Res.prototype as never;
    const made = { IncomingMessage: Req, ServerResponse: Res };
    this.httpServer =
      httpsOptions === undefined ? createServer(made, app) : createTlsServer({ ...httpsOptions, ...made }, app);
  }
}

export async function serveHttp(
  options: HttpOptions,
  { api, sessions, streams, jobs, tell = () => undefined, log, takenMs = TAKEN_MS }: HttpParts,
): Promise<HttpServer> {
  const server = express();
  server.disable('x-powered-by');
  server.disable('etag');
  server.set('trust proxy', [...options.proxies]);
  server.set('query parser', 'simple');
  const adapter = new OwnPrototypes(server, takenMs);
  const app = await NestFactory.create<NestExpressApplication>(HttpModule.of(api, jobs), adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
    ...(options.tls === undefined ? {} : { httpsOptions: { ...options.tls.pair } }),
  });
  app.use(answered(tell), fewAtOnce(), identify, headers, admit(options.addresses), ownPaths(options));
  // Ours are there beside a page of the user's own, which is told to whoever prefers HTML.
  app.use(...uiPage(options), openApiDoors(options), ...staticApp(options), withoutSessions(options));
  app.use(allowedMethods, strangers(sessions), bounded(options.maxBody), knownFirst(sessions, options));
  app.use(knownEncoding, bodyReader(options.maxBody));
  // What is refused on the way to a door is told as what is refused there.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    answerError(error, req, res, log);
  });
  app.useGlobalFilters(new ErrorFilter(log));
  const http: Server = app.getHttpServer();
  Object.assign(http, {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeadersCount: MAX_HEADERS,
    maxConnections: MAX_CONNECTIONS,
  });
  const sockets = new Set<Socket>();
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const endSockets = serveWebSockets(http, { ...options, sessions, streams });
  await app.listen(options.port, options.host).catch((cause: unknown) => {
    throw listenTrouble(options, { what: 'the HTTP API', settings: SETTINGS, cause });
  });
  const { tls } = options;
  const unfollow =
    tls !== undefined && http instanceof TlsServer ? followCertificate(http, tls.files, tls.pair, log) : undefined;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${shownHost(options.host)}:${String(options.port)}${options.prefix}`,
    close: async () => {
      adapter.closing = true;
      unfollow?.();
      streams.close();
      endSockets();
      await ended(app.close(), http, sockets);
    },
  };
}

/** A client that asks on and on and takes no answer costs the memory of a few, and its connection. */
function fewAtOnce(): RequestHandler {
  const open = new WeakMap<Socket, number>();
  return ({ socket }, res, next) => {
    const others = open.get(socket) ?? 0;
    open.set(socket, others + 1);
    res.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
    if (others < MAX_PIPELINED) next();
    else socket.destroy();
  };
}

function bodyReader(maxBody: number): RequestHandler {
  const upTo = (limit: number) => express.raw({ type: () => true, limit, inflate: false });
  const [all, little] = [upTo(maxBody), upTo(roomAt('/login', maxBody))];
  return (req, res, next) => {
    if (takesBody(req)) (roomAt(req.path, maxBody) < maxBody ? little : all)(req, res, next);
    else next();
  };
}

/** Answers what has been asked; a client that only keeps its connection does not hold it up, and nobody does for ever. */
async function ended(closed: Promise<void>, http: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const looking = setInterval(() => {
    http.closeIdleConnections();
    // One that a browser has opened in advance is not idle to Node.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, LOOK_MS);
  await within(STOP_MS, closed);
  clearInterval(looking);
  http.closeAllConnections();
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
