/** A connection that goes over to a new one, under load, on a real broker. */
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Broker, startBroker } from '@natrium/testing';
import type { Incoming } from '../ports/transport.js';
import { NatsTransport } from './nats-transport.js';

const MESSAGES = 4000;
const RENEWALS = 5;
const BURST = 20;
const SLOW_MS = 30;
const PACED = 300;

let broker: Broker;
beforeAll(async () => {
  broker = await startBroker();
});
afterAll(async () => {
  await broker.stop();
});

const open = () => NatsTransport.connect({ servers: [broker.url], name: 'test' });
const bytes = (number: number) => Uint8Array.from(Buffer.from(String(number)));

it.each([
  ['alone', undefined],
  ['as one of a queue', 'q'],
])('loses no question and answers none twice while it is renewed, listening %s', async (_about, queue) => {
  const [minion, gateway] = [await open(), await open()];
  const heard: number[] = [];
  const answers: number[] = [];
  let all: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => (all = resolve));
  minion.subscribe('job.x', (message: Incoming) => {
      heard.push(Number(Buffer.from(message.payload).toString()));
      message.respond(message.payload);
    }, queue); // prettier-ignore
  gateway.subscribe('inbox.>', ({ payload, noResponders }) => {
    answers.push(noResponders ? -1 : Number(Buffer.from(payload).toString()));
    if (answers.length === MESSAGES) all();
  });
  await Promise.all([minion.flush(), gateway.flush()]);
  const first = minion.connection;
  let sent = 0;
  const send = async () => {
    while (sent < MESSAGES) {
      for (let n = 0; n < BURST; n += 1, sent += 1) gateway.publish('job.x', bytes(sent), `inbox.${sent}`);
      await gateway.flush();
    }
  };
  const renew = async () => {
    for (let n = 0; n < RENEWALS; n += 1) await minion.renew();
  };
  await Promise.all([send(), renew()]);
  await answered;
  const numbers = Array.from({ length: MESSAGES }, (_, n) => n);
  expect(minion.connection).not.toBe(first);
  const sorted = (some: readonly number[]) => some.toSorted((a, b) => a - b);
  // One look at both: where a question is lost, the answers say whether the broker knew of a listener.
  expect({ heard: sorted(heard), answers: sorted(answers) }).toEqual({ heard: numbers, answers: numbers });
  await Promise.all([minion.drain(), gateway.drain()]);
});

it('still hears from the broker that nobody listens, after it was renewed', async () => {
  const transport = await open();
  const heard = new Promise<Incoming>((resolve) => transport.subscribe('inbox.1', resolve));
  await transport.renew();
  transport.publish('nobody.here', bytes(1), 'inbox.1');
  expect((await heard).noResponders).toBe(true);
  await transport.drain();
});

it('leaves no connection behind that was drained while it was renewed', async () => {
  const transport = await open();
  const renewed = transport.renew();
  await transport.drain();
  await renewed;
  expect(transport.connection.isClosed()).toBe(true);
});

it('leaves no connection behind that was drained while the new one took over, and its answers have left', async () => {
  const [transport, asker] = [await open(), await open()];
  let answer: () => void = () => undefined;
  transport.subscribe('job.y', ({ respond }) => (answer = () => { respond(bytes(1)); })); // prettier-ignore
  const heard = new Promise<Incoming>((resolve) => asker.subscribe('inbox.y', resolve));
  await Promise.all([transport.flush(), asker.flush()]);
  asker.publish('job.y', bytes(0), 'inbox.y');
  await asker.flush();
  await transport.flush();
  const old = transport.connection;
  const renewed = transport.renew();
  while (transport.connection === old) await nextTurn();
  answer();
  await transport.drain();
  expect([old.isClosed(), transport.connection.isClosed()]).toEqual([true, true]);
  expect((await heard).payload).toEqual(bytes(1));
  await renewed;
  await asker.drain();
});

it('hears that as often as it asks, also while it is renewed', async () => {
  const transport = await open();
  let heard = 0;
  transport.subscribe('inbox.1', ({ noResponders }) => {
    if (noResponders) heard += 1;
  });
  await transport.flush();
  const renewed = transport.renew();
  for (let n = 0; n < BURST; n += 1) {
    transport.publish('nobody.here', bytes(1), 'inbox.1');
    await transport.flush();
  }
  await renewed;
  await transport.flush();
  expect(heard).toBe(BURST);
  await transport.drain();
});

it('leaves one connection behind, and hears each message once, when the new one is cut before the broker has answered', async () => {
  let opened = 0;
  const proxy = createServer((client) => {
    opened += 1;
    const isCut = opened === 2;
    const server = connect(Number(new URL(broker.url).port), '127.0.0.1');
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const side of [client, server]) side.on('error', end).on('close', end);
    server.pipe(client);
    client.on('data', (chunk) => {
      if (isCut && chunk.includes('SUB ')) end();
      else server.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  const url = await addressOf(proxy);
  const [listener, sender] = [await NatsTransport.connect({ servers: [url], name: 'test' }), await open()];
  const heard: string[] = [];
  listener.subscribe('job.x', ({ payload }) => heard.push(Buffer.from(payload).toString()));
  await listener.flush();
  const old = listener.connection;
  const send = async (first: number) => {
    for (let n = first; n < first + BURST; n += 1) sender.publish('job.x', bytes(n));
    await sender.flush();
  };
  await listener.renew();
  await send(0);
  await old.closed();
  await send(BURST);
  await listener.flush();
  expect(opened).toBe(3);
  expect(heard).toEqual(Array.from({ length: 2 * BURST }, (_, n) => String(n)));
  await Promise.all([listener.drain(), sender.drain()]);
  proxy.close();
});

it('hears all in the order in which it was sent, also where what it gives up is the slower connection', async () => {
  let opened = 0;
  const proxy = createServer((client) => {
    opened += 1;
    const isOld = opened === 1;
    const server = connect(Number(new URL(broker.url).port), '127.0.0.1');
    for (const side of [client, server]) side.on('error', () => undefined);
    client.pipe(server);
    server.on('data', (chunk) => {
      if (isOld && opened > 1) setTimeout(() => client.write(chunk), SLOW_MS);
      else client.write(chunk);
    });
    server.on('close', () => setTimeout(() => client.end(), SLOW_MS));
  }).listen(0, '127.0.0.1');
  const url = await addressOf(proxy);
  const [listener, sender] = [await NatsTransport.connect({ servers: [url], name: 'test' }), await open()];
  const heard: number[] = [];
  listener.subscribe('job.x', ({ payload }) => heard.push(Number(Buffer.from(payload).toString())));
  await listener.flush();
  const numbers = Array.from({ length: PACED }, (_, n) => n);
  const send = async () => {
    for (const number of numbers) {
      sender.publish('job.x', bytes(number));
      await pause(1);
    }
  };
  await Promise.all([send(), listener.renew()]);
  await sender.flush();
  await listener.flush();
  expect(opened).toBe(2);
  expect(heard).toEqual(numbers);
  await Promise.all([listener.drain(), sender.drain()]);
  proxy.close();
});

async function addressOf(proxy: Server): Promise<string> {
  await once(proxy, 'listening');
  const address = proxy.address();
  return `nats://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`;
}
