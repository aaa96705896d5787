/** A client that takes no answers costs the memory of a few, for as long as it may take nothing, and then its connection. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@natrium/process';
import { until } from '@natrium/testing';
import type { Response } from 'express';
import { pino } from 'pino';
import type { Answered } from './answered.js';
import type { Api } from './api.js';
import type { EventFeed } from '../event-feed.js';
import { EventStreams, type Listener } from './event-streams.js';
import type { HttpOptions } from './http-options.js';
import { type HttpServer, serveHttp } from './http-server.js';
import type { Session, Sessions } from './sessions.js';
import type { WholeJobs } from './whole-jobs.js';

const TAKEN_MS = 600;
const SESSION = { sees: 'all', name: 'fred', expire: Date.now() + 3_600_000 } as unknown as Session;
const LISTENER: Listener = { token: 't', session: SESSION, from: 'now', client: { address: '', about: '' } };
/** In which nothing happens. */
const SILENT: EventFeed = {
  async *subscribe({ signal } = {}) {
    if (signal !== undefined) await once(signal, 'abort');
    yield* [];
  },
  fire: () => Promise.resolve(),
};
/** More than the kernel holds for both ends of a connection. */
const LARGE = 'x'.repeat(16 << 20);

let server: HttpServer;
let port: number;
let told: Answered[];
let clients: Socket[];
/** What a login is answered with. */
let login: () => Promise<unknown>;

beforeEach(async () => {
  [port, told, clients] = [await freePort(), [], []];
  const options: HttpOptions = {
    host: '127.0.0.1', port, addresses: undefined, prefix: '', tls: undefined, app: undefined, appPath: '/app',
    static: undefined, staticPath: '/static', favicon: undefined, hookPath: '/hook', hasSessions: true, openHook: false, openStats: false,
    maxBody: 1000, clients: new Set(), timeout: 5, restTimeout: 5, proxies: [],
  }; // prettier-ignore
  login = () => Promise.resolve(LARGE);
  const sessions = {
    ...{ knows: () => false, mayTry: () => undefined, failed: () => undefined },
    leftOf: () => 3_600_000,
  } as unknown as Sessions;
  const log = pino({ enabled: false });
  const streams = new EventStreams(SILENT, sessions, log);
  const api = {
    login: () => login(),
    events: (_: unknown, res: Response) => {
      streams.open(res, LISTENER, 'plain');
    },
  };
  server = await serveHttp(options, {
    api: api as unknown as Api,
    sessions,
    streams,
    jobs: {} as WholeJobs,
    tell: (answered) => told.push(answered),
    log,
    takenMs: TAKEN_MS,
  });
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  await server.close();
});

async function client(): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  clients.push(socket);
  await once(socket, 'connect');
  return socket;
}

const ask = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;

/** All that comes until the other side ends it, or until it is `enough`. */
async function heardBy(socket: Socket, enough: (text: string) => boolean = () => false): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  await until('an answer', () => socket.closed || enough(text));
  return text;
}

const answersIn = (text: string) => text.split('HTTP/1.1 200 OK').length - 1;

it('whoever takes nothing of an answer loses the connection', async () => {
  const socket = (await client()).pause();
  socket.write(ask('POST', '/login'));
  await until('it is ended', () => told.length > 0);
  expect(told).toMatchObject([{ route: '/login', code: '200' }]);
  expect((await heardBy(socket.resume())).length).toBeLessThan(LARGE.length);
});

it('whoever takes it slowly gets all of it', async () => {
  const socket = await client();
  socket.write(ask('POST', '/login'));
  const began = performance.now();
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), 6);
  });
  expect((await heardBy(socket, (text) => text.length > LARGE.length)).length).toBeGreaterThan(LARGE.length);
  expect(performance.now() - began).toBeGreaterThan(2 * TAKEN_MS);
});

it.each(['POST /login', 'GET /login, POST /login'])(
  'an answer is waited for as long as it needs: %s',
  async (asked) => {
    login = async () => {
      await pause(2 * TAKEN_MS);
      return 'late';
    };
    const socket = await client();
    const words = asked.split(', ');
    socket.write(words.map((one) => ask(...(one.split(' ') as [string, string]))).join(''));
    expect(answersIn(await heardBy(socket, (text) => text.includes('late')))).toBe(words.length);
  },
);

it('a stream of events in which nothing happens stays open', async () => {
  const socket = await client();
  socket.write(ask('GET', '/events'));
  const text = await heardBy(socket, (heard) => heard.includes('text/event-stream'));
  await pause(2 * TAKEN_MS);
  expect([answersIn(text), socket.closed]).toEqual([1, false]);
});

it.each([
  [16, true],
  [17, false],
])('of %i requests at once all are answered: %j', async (count, isAnswered) => {
  const socket = await client();
  socket.write(ask('GET', '/openapi.json').repeat(count));
  const text = await heardBy(socket, (heard) => answersIn(heard) === count && heard.endsWith('}'));
  expect([answersIn(text) === count, socket.closed]).toEqual([isAnswered, !isAnswered]);
});

it('one after the other, there is no end of them', async () => {
  const socket = await client();
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => (text += piece));
  for (let count = 1; count <= 40; count += 1) {
    socket.write(ask('GET', '/login'));
    await until('its answer', () => answersIn(text) === count && text.endsWith('}'));
  }
  expect(socket.closed).toBe(false);
});
