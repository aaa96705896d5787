/** Who listens, and for how long, over real sockets. */
import { EventEmitter, on, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { jest } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import type { Response } from 'express';
import pino from 'pino';
import type { WebSocket } from 'ws';
import type { EventFeed, FeedEvent } from '../event-feed.js';
import { EventStreams, type Listener } from './event-streams.js';
import type { EventForm } from './sent-event.js';
import { type Session, type Sessions, unproved } from './sessions.js';

const CHECK_MS = 5000;
const BEAT_MS = 15_000;
const SESSION = { sees: 'all', name: 'fred', expire: Date.now() + 3_600_000 } as unknown as Session;
const LISTENER: Listener = { token: 't', session: SESSION, from: 'now', client: { address: '', about: '' } };

const alive = () => Promise.resolve(SESSION);
const unsure = () => Promise.reject(new ServiceUnavailableException('No acl-service answered'));
const over = () => Promise.reject(unproved());

/** What comes as soon as somebody listens, and what comes whenever one is told. */
let events: readonly FeedEvent[];
let later: EventEmitter;
let namesOwners: () => boolean;

const feed: EventFeed = {
  async *subscribe({ signal, namesOwners: wanted = () => true } = {}) {
    namesOwners = wanted;
    yield* events;
    if (signal === undefined) return;
    for await (const [event] of on(later, 'event', { signal })) yield event as FeedEvent;
  },
  fire: () => Promise.resolve(),
};

let check: () => Promise<Session>;
/** The time of the acl-service. */
let now: () => number;
let server: Server;
let streams: EventStreams;

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  check = alive;
  now = () => Date.now();
  events = [];
  later = new EventEmitter();
  const sessions = { check: () => check(), leftOf: ({ expire }: Session) => Math.max(0, expire - now()) };
  streams = new EventStreams(feed, sessions as unknown as Sessions, pino({ enabled: false }));
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  streams.close();
  server.closeAllConnections();
  server.close();
  jest.useRealTimers();
});

async function asks(method: string, version = '1.1') {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  client.write(`${method} /events HTTP/${version}\r\nHost: x\r\nConnection: close\r\n\r\n`);
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
  streams.open(res, LISTENER, 'plain');
  expect(streams.count).toBe(0);
});

it('nor is a WebSocket that was closed meanwhile', () => {
  streams.openSocket({ OPEN: 1, readyState: 3 } as unknown as WebSocket, LISTENER);
  expect(streams.count).toBe(0);
});

it('a HEAD is answered with the header, and listens to nothing', async () => {
  const { client, res } = await asks('HEAD');
  streams.open(res, LISTENER, 'plain');
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
  streams.open(res, { ...LISTENER, session: { ...SESSION, sees: 'own' } }, 'plain');
  while (!text.includes('salt/job/2')) await once(client, 'data');
  expect([...text.matchAll(/^tag: (.*)$/gm)].map(([, tag]) => tag)).toEqual(['natrium/gap', 'salt/job/2/new']);
});

it('owners are wanted while one listens who may see only what is his own, and not for those who see everything', async () => {
  const listens = async (session: Session) => {
    const { client, res } = await asks('GET');
    streams.open(res, { ...LISTENER, session }, 'plain');
    return async () => {
      client.destroy();
      await once(res, 'close');
    };
  };
  await listens(SESSION);
  expect(namesOwners()).toBe(false);
  const leave = await listens({ ...SESSION, sees: 'own' });
  expect(namesOwners()).toBe(true);
  await leave();
  expect(namesOwners()).toBe(false);
});

it('a stream whose session lives for longer than a timer may be set for is heard to its end', async () => {
  const [LONGEST, DAY_MS] = [0x7fffffff, 86_400_000];
  const { res } = await asks('GET');
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const ends = () => timers.mock.calls.filter(([, ms]) => ms === LONGEST).map(([end]) => end);
  streams.open(res, { ...LISTENER, session: { ...SESSION, expire: Date.now() + 30 * DAY_MS } }, 'plain');
  const [first] = ends();
  jest.setSystemTime(Date.now() + LONGEST);
  first!();
  expect([streams.count, ends().length]).toEqual([1, 1]);
  const [rest] = timers.mock.calls.at(-1)!;
  jest.setSystemTime(Date.now() + 6 * DAY_MS);
  rest();
  expect(streams.count).toBe(0);
  timers.mockRestore();
});

describe('the lines of a stream', () => {
  const event = (n: number): FeedEvent => ({ cursor: `${String(n)}.0`, tag: 'my/tag', data: { n }, stamp: 's' });
  const plain = (n: number) => `tag: my/tag\ndata: {"tag": "my/tag", "data": {"n": ${String(n)}}}\n\n`;
  const withId = (n: number) => plain(n).replace(/\n$/, `id: ${String(n)}.0\n\n`);

  async function begun(form: EventForm) {
    // Without the chunks of 1.1.
    const { client, res } = await asks('GET', '1.0');
    let text = '';
    client.on('data', (piece: string) => (text += piece));
    const keptAlive = jest.spyOn(res.socket ?? client, 'setKeepAlive');
    streams.open(res, LISTENER, form);
    const passed = async (ms: number, n?: number) => {
      await jest.advanceTimersByTimeAsync(ms);
      if (n === undefined) return;
      later.emit('event', event(n));
      while (!text.includes(`"n": ${String(n)}`)) await once(client, 'data');
    };
    return { passed, keptAlive, heard: () => text.slice(text.indexOf('\r\n\r\n') + 4) };
  }

  it('are Salt’s for who asks for nothing else: retry once, then two and an empty one for each event, however long it is silent', async () => {
    const { passed, keptAlive, heard } = await begun('plain');
    await passed(10 * BEAT_MS, 1);
    await passed(10 * BEAT_MS, 2);
    expect(heard()).toBe(`retry: 400\n${plain(1)}${plain(2)}`);
    // What tells a connection that lives from one that is gone is TCP itself.
    expect(keptAlive).toHaveBeenCalledWith(true, BEAT_MS);
  });

  it('carry ids for who knows server-sent events, and retry again when nothing was said for 15 s', async () => {
    const { passed, heard } = await begun('with id');
    await passed(BEAT_MS - 1, 1);
    await passed(BEAT_MS - 1, 2);
    await passed(BEAT_MS, 3);
    expect(heard()).toBe(`retry: 400\n${withId(1)}${withId(2)}retry: 400\n${withId(3)}`);
  });
});

describe('a stream', () => {
  beforeEach(async () => {
    streams.open((await asks('GET')).res, LISTENER, 'plain');
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

  it('does not end because the clock of this host is set: a session ends by that of the acl-service', async () => {
    const began = Date.now();
    now = () => began;
    jest.setSystemTime(began + 86_400_000);
    streams.open((await asks('GET')).res, LISTENER, 'plain');
    check = unsure;
    expect(await looks(1)).toEqual([2]);
  });

  it('ends at once with its session', async () => {
    check = over;
    expect(await looks(1)).toEqual([0]);
  });
});
