/** Who asks for another protocol than HTTP/1.1, over real sockets. */
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ServiceUnavailableException } from '@nestjs/common';
import pino from 'pino';
import { WebSocket } from 'ws';
import { freePort } from '@natrium/process';
import { Api } from './api.js';
import { Refusals } from '../callers/refusals.js';
import type { EventFeed } from '../event-feed.js';
import type { Clients } from './clients.js';
import { EventStreams } from './event-streams.js';
import type { HttpOptions } from './http-options.js';
import { type HttpServer, serveHttp } from './http-server.js';
import { type Sessions, unproved } from './sessions.js';
import { serveWebSockets } from './web-socket.js';
import type { WholeJobs } from './whole-jobs.js';

const TOKEN = 'a'.repeat(40);
/** One of `/token`. */
const LONG = 'd'.repeat(64);
/** Nobody can say whether it is good. */
const BUSY = 'b'.repeat(40);
const FORM = 'username=fred&password=x&eauth=file';
const SESSION = { name: 'fred', eauth: 'file', perms: [], sees: 'all', start: 0, expire: Date.now() + 3_600_000 };
const WEB_SOCKET = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'; // prettier-ignore
const HTTP_2 = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n';

const log = pino({ enabled: false });
let server: HttpServer;
let port: number;

const sessions = {
  mayTry: () => undefined,
  failed: () => undefined,
  bill: () => ({ pay: () => undefined, repay: () => undefined }),
  knows: () => false,
  leftOf: () => 3_600_000,
  login: () => Promise.resolve({ token: TOKEN, session: SESSION }),
  check: (token: string) => {
    if (token === BUSY) return Promise.reject(new ServiceUnavailableException('No acl-service answered'));
    return token === TOKEN || token === LONG ? Promise.resolve(SESSION) : Promise.reject(unproved());
  },
} as unknown as Sessions;

async function serve(
  addresses?: readonly string[],
  proxies: readonly string[] = ['loopback'],
  prefix = '',
): Promise<void> {
  port = await freePort();
  const streams = new EventStreams({} as EventFeed, sessions, log);
  const api = new Api({ sessions, streams, clients: {} as Clients, feed: {} as EventFeed, openHook: false, openStats: false, maxEventBytes: 1000, refusals: new Refusals(), log }); // prettier-ignore
  const options: HttpOptions = {
    host: '127.0.0.1', port, addresses, prefix, tls: undefined, app: undefined, appPath: '/app', static: undefined,
    staticPath: '/static', favicon: undefined, hookPath: '/hook', hasSessions: true, openHook: false, openStats: false, maxBody: 1000, clients: new Set(),
    timeout: 5, restTimeout: 5, proxies,
  }; // prettier-ignore
  server = await serveHttp(options, { api, sessions, streams, jobs: {} as WholeJobs, log });
}

/** Sends these one after the other on one connection. @returns What came for each: its first line, and all of it. */
async function answers(...requests: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const heard: [string, string][] = [];
  try {
    for (const request of requests) {
      socket.write(request);
      let text = '';
      for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
        text += String(chunk);
        if (isWhole(text)) break;
      }
      heard.push([text.slice(0, text.indexOf('\r\n')), text]);
    }
  } finally {
    socket.destroy();
  }
  return heard;
}

function isWhole(text: string): boolean {
  const [head, body] = text.split('\r\n\r\n', 2);
  if (head === undefined || body === undefined) return false;
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length === undefined
    ? !/^transfer-encoding/im.test(head) || body.endsWith('0\r\n')
    : body.length >= Number(length);
}

const ask = (line: string, headers: string, body = '') =>
  `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${String(body.length)}\r\n${headers}\r\n${body}`;
const firstLine = async (request: string) => (await answers(request))[0]?.[0];

afterEach(() => server.close());

describe('a WebSocket', () => {
  it('is opened to an address of authorized_ips', async () => {
    await serve(['127.0.0.1']);
    expect(await firstLine(ask(`GET /ws/${TOKEN}`, WEB_SOCKET))).toBe('HTTP/1.1 101 Switching Protocols');
  });

  it('is opened to whom a proxy names, where that is one of http_proxies', async () => {
    const said = 'X-Forwarded-For: 192.0.2.7\r\n';
    await serve(['192.0.2.7'], ['loopback']);
    expect(await firstLine(ask(`GET /ws/${TOKEN}`, WEB_SOCKET + said))).toBe('HTTP/1.1 101 Switching Protocols');
    await server.close();
    await serve(['192.0.2.7'], ['192.0.2.1']);
    expect(await firstLine(ask(`GET /ws/${TOKEN}`, WEB_SOCKET + said))).toBe('HTTP/1.1 403 Forbidden');
  });

  it('is told whether its token is bad, or nobody can say now', async () => {
    await serve();
    const answered = async (token: string) => (await firstLine(ask(`GET /ws/${token}`, WEB_SOCKET)))?.slice(9, 12);
    expect([await answered('c'.repeat(40)), await answered(BUSY)]).toEqual(['401', '503']);
  });

  it('is opened to a session or a token of /token, in its path, behind it or in a header', async () => {
    await serve();
    const answered = async (path: string, header = '') =>
      (await firstLine(ask(`GET ${path}`, `${WEB_SOCKET}X-Auth-Token: ${header}\r\n`)))?.slice(9, 12);
    for (const token of [TOKEN, LONG])
      expect([await answered(`/ws/${token}`), await answered(`/ws?token=${token}`), await answered('/ws', token)]).toEqual(['101', '101', '101']); // prettier-ignore
    // A bad one in the address is not made good by another place.
    for (const path of ['/ws?token=x', '/ws/x', `/ws?token=${'c'.repeat(40)}`])
      expect([path, await answered(path, TOKEN)]).toEqual([path, '401']);
    for (const header of ['', 'x', 'c'.repeat(64)])
      expect([header, await answered('/ws', header)]).toEqual([header, '401']);
    expect(await answered('/ws?token=', TOKEN)).toBe('101');
  });

  it('is opened at its path only, and where that follows a host', async () => {
    await serve();
    const answered = async (path: string) =>
      (await firstLine(ask(`GET ${path}`, `${WEB_SOCKET}X-Auth-Token: ${TOKEN}\r\n`)))?.slice(9, 12);
    for (const path of ['/ws', '/ws/', '//ws', `/ws/${TOKEN}/`, '/ws?format_events', 'http://x/ws'])
      expect([path, await answered(path)]).toEqual([path, '101']);
    for (const path of ['/wsx', '/ws/a/b', '/events']) expect([path, await answered(path)]).toEqual([path, '404']);
  });

  it('is opened below root_prefix and, as all else is, where a proxy has left that out; not below another', async () => {
    await serve(undefined, [], '/api');
    const answered = async (path: string) => (await firstLine(ask(`GET ${path}`, WEB_SOCKET)))?.slice(9, 12);
    for (const path of [`/api/ws/${TOKEN}`, `/api/ws?token=${TOKEN}`, `/ws/${TOKEN}`, `/ws?token=${TOKEN}`])
      expect([path, await answered(path)]).toEqual([path, '101']);
    for (const path of [`/apiws/${TOKEN}`, `/api/api/ws/${TOKEN}`, `/other/ws/${TOKEN}`])
      expect([path, await answered(path)]).toEqual([path, '404']);
  });

  it.each([
    ['another address', '192.0.2.1', ''],
    ['whoever a proxy on this host names', '127.0.0.1', 'X-Forwarded-For: 192.0.2.7\r\n'],
  ])('is refused to %s, whatever it knows', async (_about, address, headers) => {
    await serve([address]);
    for (const token of [TOKEN, 'x'])
      expect(await firstLine(ask(`GET /ws/${token}`, WEB_SOCKET + headers))).toBe('HTTP/1.1 403 Forbidden');
  });

  it.each([
    ['to an address that is not let in', ['192.0.2.1'], `/ws/${TOKEN}`],
    ['without a good token', undefined, '/ws/x'],
    ['at another path', undefined, '/nothing'],
  ])(
    'that is refused %s loses its connection, also where the client keeps his half of it',
    async (_, addresses, path) => {
      await serve(addresses);
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const lost = new Promise<void>((resolve) => {
        socket.once('error', resolve);
      });
      socket.write(ask(`GET ${path}`, WEB_SOCKET));
      await once(socket.resume(), 'end');
      // The first is answered with a reset, of which the next one hears.
      const writing = setInterval(() => socket.write('x'), 20);
      await lost.finally(() => {
        clearInterval(writing);
      });
      socket.destroy();
    },
    5000,
  );
});

describe('a WebSocket that is open', () => {
  let opened: string[];
  let isOver: boolean;
  /** What an event says, and the gateway's end of the connection. */
  let event: string;
  let ours: WebSocket;
  let plain: Server;
  let end: () => void;

  async function open(silentMs?: number): Promise<WebSocket> {
    const check = () => (isOver ? Promise.reject(unproved()) : Promise.resolve(SESSION));
    const streams = { openSocket: (socket: WebSocket) => { opened.push('a listener'); ours = socket; socket.send(event); plain.emit('opened'); } }; // prettier-ignore
    const parts = { prefix: '', addresses: undefined, sessions: { check }, streams, ...(silentMs === undefined ? {} : { silentMs }) }; // prettier-ignore
    plain = createHttpServer();
    end = serveWebSockets(plain, parts as never);
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const socket = new WebSocket(`ws://127.0.0.1:${String((plain.address() as AddressInfo).port)}/ws/${TOKEN}`);
    await once(socket, 'open');
    return socket;
  }

  function messagesOf(socket: WebSocket, count: number) {
    const texts: string[] = [];
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        if (texts.push(data.toString()) === count) resolve();
      });
    });
    return { texts, all };
  }

  beforeEach(async () => {
    [opened, isOver, event] = [[], false, 'heard'];
    await serve();
  });
  afterEach(() => {
    end();
    plain.close();
  });

  it('hears from when it has said anything', async () => {
    const socket = await open();
    expect(opened).toEqual([]);
    socket.send('ready');
    await once(socket, 'message');
    expect(opened).toEqual(['a listener']);
  });

  it('hears nothing when its session has ended before that', async () => {
    const socket = await open();
    isOver = true;
    const heard = messagesOf(socket, 1);
    socket.send('ready');
    await once(socket, 'close');
    expect([opened, heard.texts]).toEqual([[], []]);
  });

  it('is answered each message, from when it hears', async () => {
    const socket = await open();
    const heard = messagesOf(socket, 4);
    for (let n = 0; n < 3; n += 1) socket.send('websocket client ready');
    await heard.all;
    expect(heard.texts).toEqual(['heard', ...new Array<string>(3).fill('server received message')]);
    expect(opened).toHaveLength(1);
  });

  it('is not listened to while its client takes no answers, and is when it does', async () => {
    const socket = await open();
    event = 'x'.repeat(32 << 20);
    socket.pause();
    const heard = messagesOf(socket, 1001);
    for (let n = 0; n < 1000; n += 1) socket.send('ready');
    await once(plain, 'opened');
    await new Promise(setImmediate);
    expect([ours.isPaused, opened.length]).toEqual([true, 1]);
    socket.resume();
    await heard.all;
    expect(heard.texts.slice(1)).toEqual(new Array<string>(1000).fill('server received message'));
  });

  it('is closed when it says nothing', async () => {
    const socket = await open(50);
    await once(socket, 'close');
    expect(opened).toEqual([]);
  });
});

describe('who offers HTTP/2 in clear', () => {
  it.each([
    ['POST /login', FORM],
    ['GET /login', ''],
    ['GET /nothing', ''],
    [`GET /ws/${TOKEN}`, ''],
  ])('is answered %s as without the offer, on a connection that is kept', async (line, body) => {
    await serve();
    const [offered, plain, again] = await answers(
      ask(line, HTTP_2, body),
      ask(line, '', body),
      ask(line, HTTP_2, body),
    );
    expect([offered?.[0], again?.[0]]).toEqual([plain?.[0], plain?.[0]]);
    expect(offered?.[1]).toContain('Connection: keep-alive');
    if (line === 'POST /login') expect(offered?.[1]).toContain(`"token": "${TOKEN}"`);
  });
});
