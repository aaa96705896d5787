/** A broker that is gone for a moment, and what is sent meanwhile. */
import { once } from 'node:events';
import { type Broker, startBroker } from '@natrium/testing';
import { NatsTransport } from './nats-transport.js';

let broker: Broker;
let transport: NatsTransport;
let notices: EventTarget;
beforeEach(async () => {
  broker = await startBroker();
  notices = new EventTarget();
  const onNotice = (notice: string) => notices.dispatchEvent(new Event(notice));
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test', onNotice });
});
afterEach(async () => {
  await transport.drain();
  await broker.stop();
});

async function stopBroker(): Promise<void> {
  const noticed = once(notices, 'broker: disconnect');
  await broker.stop();
  await noticed;
}

const isFlushed = () =>
  transport.flush().then(
    () => true,
    () => false,
  );

it('sends in order what was published while the broker was away, when it is back', async () => {
  const heard: number[] = [];
  transport.subscribe('one', ({ payload }) => heard.push(...payload));
  await transport.flush();
  await stopBroker();
  const numbers = Array.from({ length: 10 }, (_, n) => n);
  for (const n of numbers) transport.publish('one', Uint8Array.of(n));
  broker = await startBroker(Number(new URL(broker.url).port));
  // It fails at each attempt in vain; once it does not, the broker has seen all of it.
  while (!(await isFlushed()));
  expect(heard).toEqual(numbers);
});

it('goes over to a new connection with what waits', async () => {
  const heard: number[] = [];
  transport.subscribe('one', ({ payload }) => heard.push(...payload));
  await transport.flush();
  await stopBroker();
  for (const n of [1, 2, 3]) transport.publish('one', Uint8Array.of(n));
  // A turn later it waits for the broker, on no connection yet.
  await new Promise((resolve) => setImmediate(resolve));
  broker = await startBroker(Number(new URL(broker.url).port));
  await transport.renew();
  await transport.flush();
  expect(heard).toEqual([1, 2, 3]);
});

it('is drained and closed also while the broker is away', async () => {
  await stopBroker();
  transport.publish('one', Uint8Array.of(1));
  await transport.drain();
  expect(transport.connection.isClosed()).toBe(true);
});
