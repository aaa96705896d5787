/** Who listens, and for how long, over real sockets. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { jest } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import type { Response } from 'express';
import pino from 'pino';
import type { WebSocket } from 'ws';
import type { EventFeed, FeedEvent } from '../event-feed.js';
import { EventStreams, type Listener } from './event-streams.js';
import { type Session, type Sessions, unproved } from './sessions.js';

const CHECK_MS = 5000;
const SESSION = { sees: 'all', name: 'fred', expire: Date.now() + 3_600_000 } as unknown as Session;
const LISTENER: Listener = { token: 't', session: SESSION, from: 'now', client: { address: '', about: '' } };

const alive = () => Promise.resolve(SESSION);
const unsure = () => Promise.reject(new ServiceUnavailableException('No acl-service answered'));
const over = () => Promise.reject(unproved());

/** What comes as soon as somebody listens. */
let events: readonly FeedEvent[];

const feed: EventFeed = {
  async *subscribe({ signal } = {}) {
    yield* events;
    if (signal !== undefined) await once(signal, 'abort');
  },
  fire: () => Promise.resolve(),
};

let check: () => Promise<Session>;
let server: Server;
let streams: EventStreams;

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  check = alive;
  events = [];
  streams = new EventStreams(feed, { check: () => check() } as unknown as Sessions, pino({ enabled: false }));
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  streams.close();
  server.closeAllConnections();
  server.close();
  jest.useRealTimers();
});

async function asks(method: string) {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  client.write(`${method} /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { client, res: res as Response };
}

/** How many listen after each of so many looks. */
async function looks(count: number): Promise<readonly number[]> {
  const listening: number[] = [];
  for (let look = 0; look < count; look += 1) {
    await jest.advanceTimersByTimeAsync(CHECK_MS);
    listening.push(streams.count);
  }
  return listening;
}

it('who left while the session was looked at is no listener', async () => {
  const { client, res } = await asks('GET');
  client.destroy();
  await once(res, 'close');
  streams.open(res, LISTENER);
  expect(streams.count).toBe(0);
});

it('nor is a WebSocket that was closed meanwhile', () => {
  streams.openSocket({ OPEN: 1, readyState: 3 } as unknown as WebSocket, LISTENER);
  expect(streams.count).toBe(0);
});

it('a HEAD is answered with the header, and listens to nothing', async () => {
  const { client, res } = await asks('HEAD');
  streams.open(res, LISTENER);
  const [text] = (await once(client, 'data')) as [string];
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream.*\r\n\r\n$/s);
  expect([res.writableFinished, streams.count]).toEqual([true, 0]);
});

it('who may see only what is his own hears that, and that something is missing', async () => {
  const owner = (name: string) => ({ kind: 'external', name }) as const;
  const event = (tag: string, whose?: string): FeedEvent => ({ cursor: 'c', tag, data: {}, stamp: 's', ...(whose === undefined ? {} : { owner: owner(whose) }) }); // prettier-ignore
  events = [event('salt/job/1/new', 'ann'), event('salt/auth'), event('natrium/gap'), event('salt/job/2/new', 'fred')];
  const { client, res } = await asks('GET');
  let text = '';
  client.on('data', (chunk: string) => (text += chunk));
  streams.open(res, { ...LISTENER, session: { ...SESSION, sees: 'own' } });
  while (!text.includes('salt/job/2')) await once(client, 'data');
  expect([...text.matchAll(/^tag: (.*)$/gm)].map(([, tag]) => tag)).toEqual(['natrium/gap', 'salt/job/2/new']);
});

describe('a stream', () => {
  beforeEach(async () => {
    streams.open((await asks('GET')).res, LISTENER);
  });

  it('goes on while an acl-service starts anew', async () => {
    check = unsure;
    expect(await looks(2)).toEqual([1, 1]);
    check = alive;
    expect(await looks(1)).toEqual([1]);
    check = unsure;
    expect(await looks(5)).toEqual([1, 1, 1, 1, 1]);
  });

  it('ends when nobody can say for half a minute that its session lives', async () => {
    check = unsure;
    expect(await looks(6)).toEqual([1, 1, 1, 1, 1, 0]);
  });

  it('ends at once with its session', async () => {
    check = over;
    expect(await looks(1)).toEqual([0]);
  });
});
