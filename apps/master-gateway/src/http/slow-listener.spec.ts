/** A listener that does not read is cut off, and what waited for it is given back, over real sockets. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Response } from 'express';
import pino from 'pino';
import type { EventFeed, FeedEvent } from '../event-feed.js';
import { EventStreams, type Listener } from './event-streams.js';
import type { Session, Sessions } from './sessions.js';

const MIB = 1 << 20;
const MAX_WAITING = 4 * MIB;
/** Far more than a socket of any kernel holds: who is never cut off ends the test. */
const ENOUGH = 1000;
const PIECE = 'x'.repeat(256 * 1024);
const SESSION = { sees: 'all', name: 'fred', expire: Date.now() + 3_600_000 } as unknown as Session;

let server: Server;
let streams: EventStreams;
let answers: ServerResponse[];
let clients: Socket[];
/** The next event waits for this. */
let ready: () => Promise<unknown>;
let told: number;
let mostWaiting: number;

const eventOf = (number: number): FeedEvent => ({ cursor: `${String(number)}.0`, tag: 'my/tag', data: { piece: PIECE }, stamp: '' }); // prettier-ignore

const feed: EventFeed = {
  async *subscribe({ signal } = {}) {
    for (told = 1; told <= ENOUGH; told += 1) {
      await ready();
      if (signal?.aborted === true) return;
      yield eventOf(told);
      mostWaiting = Math.max(mostWaiting, ...answers.map((res) => res.writableLength));
    }
  },
  fire: () => Promise.resolve(),
};

async function open(stuckMs: number): Promise<void> {
  const sessions = { check: () => Promise.resolve(SESSION), leftOf: () => 3_600_000 } as unknown as Sessions;
  streams = new EventStreams(feed, sessions, pino({ enabled: false }), stuckMs);
  const listener: Listener = { token: 't', session: SESSION, from: 'now', client: { address: '', about: '' } };
  server = createServer((_, res) => {
    answers.push(res);
    streams.open(res as Response, listener, 'with id');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

/** @returns Its socket, which reads nothing yet, and the answer to it. */
async function listen(): Promise<{ readonly client: Socket; readonly answer: ServerResponse }> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  clients.push(client);
  client.write('GET /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(server, 'request');
  const answer = answers.at(-1);
  if (answer === undefined) throw new Error('nobody answers');
  return { client, answer };
}

beforeEach(() => {
  [answers, clients, mostWaiting, ready] = [[], [], 0, () => turn()];
});
afterEach(() => {
  streams.close();
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  server.close();
});

it('one that never reads is cut off, its socket too, and no more than a bounded rest has waited for it', async () => {
  await open(50);
  const { answer } = await listen();
  await once(answer, 'close');
  expect(streams.count).toBe(0);
  expect(told).toBeLessThan(ENOUGH);
  expect(mostWaiting).toBeGreaterThan(MAX_WAITING);
  expect(mostWaiting).toBeLessThan(MAX_WAITING + MIB);
  expect(answer.socket?.destroyed ?? true).toBe(true);
});

it('another that reads hears on', async () => {
  let begin = (): void => undefined;
  ready = () => new Promise<void>((resolve) => (begin = resolve));
  await open(50);
  const slow = await listen();
  const { client, answer } = await listen();
  let read = 0;
  client.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
  // The next event comes when this one has been heard.
  ready = async () => {
    while (!client.destroyed && read < (told - 1) * PIECE.length) await once(client, 'data');
  };
  begin();
  await once(slow.answer, 'close');
  for (const cut = told; told <= cut + 5;) await once(client, 'data');
  expect([streams.count, answer.destroyed]).toEqual([1, false]);
});

it('one that reads again gets whole events to the end of its answer, and can come back with the last', async () => {
  await open(3_600_000);
  const { client } = await listen();
  const cut = new Promise<void>((resolve) => {
    ready = () => {
      if (streams.count === 0) resolve();
      return turn();
    };
  });
  await cut;
  let text = '';
  client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  client.resume();
  while (!text.endsWith('\n\n\r\n0\r\n\r\n')) await once(client, 'data');
  expect(text).toContain(`id: ${String(told - 1)}.0\n`);
});

it('one that comes when all are closed is ended at once, and nothing is subscribed for it', async () => {
  await open(50);
  streams.close();
  told = 0;
  const { answer } = await listen();
  expect([answer.writableEnded, streams.count, told]).toEqual([true, 0, 0]);
});
