/** Messages of nothing but headers: the broker's word that nobody listens, and what anybody who may publish can write like it. */
import { connect as dial } from 'node:net';
import { type Broker, startBroker } from '@natrium/testing';
import type { Incoming } from '../ports/transport.js';
import { NatsTransport } from './nats-transport.js';

const STATUS = 'NATS/1.0 503\r\n';
const END = '\r\n';

let broker: Broker;
let transport: NatsTransport;
let notices: string[];
beforeAll(async () => {
  broker = await startBroker();
});
afterAll(async () => {
  await broker.stop();
});
beforeEach(async () => {
  notices = [];
  transport = await NatsTransport.connect({
    servers: [broker.url],
    name: 'test',
    onNotice: (notice) => notices.push(notice),
  });
});
afterEach(async () => {
  await transport.drain();
});

/** Sends a message of these headers as they are, which no client library would. */
async function send(subject: string, headers: string): Promise<void> {
  const { hostname, port } = new URL(broker.url);
  const socket = dial(Number(port), hostname);
  const size = String(headers.length);
  socket.write(`CONNECT {"verbose":false,"headers":true}${END}HPUB ${subject} ${size} ${size}${END}${headers}${END}`);
  socket.write(`PING${END}`);
  for await (const chunk of socket) if (String(chunk).includes('PONG')) break;
}

async function heardOf(headers: string): Promise<Incoming> {
  const hearing = new Promise<Incoming>((resolve) => transport.subscribe('asked', resolve));
  await transport.flush();
  await send('asked', headers);
  return hearing;
}

/** As the library reads them, a second's work or more. */
const many = () => Array.from({ length: 10_000 }, (_, n) => `${n.toString(36)}:\r\n`).join('');

it.each([
  ['whose headers cannot be read', () => `${STATUS}a: b\nc\r\n${END}`],
  ['whose headers are too many to be read', () => `${STATUS}${many()}${END}`],
  ['whose headers are none', () => `NATS/1.0 \r\nno header\r\n${END}`],
])('a message %s is heard as one without a body, and is not the broker’s word', async (_, headers) => {
  const { payload, noResponders } = await heardOf(headers());
  expect([payload.length, noResponders, notices]).toEqual([0, false, []]);
});

it('the broker’s own word is known, for a question with a long subject too', async () => {
  const subject = `nobody.${'x'.repeat(200)}`;
  const hearing = new Promise<Incoming>((resolve) => transport.subscribe('inbox', resolve));
  transport.publish(subject, Uint8Array.of(1), 'inbox');
  expect((await hearing).noResponders).toBe(true);
});
