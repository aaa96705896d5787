/** Rules of reading a stream on and on, at a real broker. */
import { jetstreamManager } from '@nats-io/jetstream';
import { type Broker, startBroker } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { AHEAD, StreamReading } from './stream-reading.js';

let broker: Broker;
let transport: NatsTransport;
let notices: string[];
let toldOne: () => void;

beforeAll(async () => {
  broker = await startBroker();
  const onNotice = (notice: string) => {
    notices.push(notice);
    toldOne();
  };
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test', onNotice });
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});

it('tells nothing of what fails once nobody reads any more', async () => {
  notices = [];
  const read = (stream: string) =>
    new StreamReading(transport, { stream, from: { everything: true }, ahead: AHEAD, onMessage: () => undefined });
  const told = new Promise<void>((resolve) => (toldOne = resolve));
  read('NOT_WANTED').close();
  // The broker answers in order, so what the first was told is known by then.
  const second = read('NOT_THERE');
  await told;
  second.close();
  expect(notices).toEqual(['reading NOT_THERE failed and begins again']);
});

it('tells nothing of a connection that is drained: an ordinary stop is no failure', async () => {
  const told: string[] = [];
  const own = await NatsTransport.connect({
    servers: [broker.url],
    name: 'stopping',
    onNotice: (notice) => told.push(notice),
  });
  const { streams } = await jetstreamManager(own.connection);
  await streams.add({ name: 'READ', subjects: ['read'] });
  await new Promise<void>((onNothing) => {
    const what = { stream: 'READ', from: { everything: true } as const, ahead: AHEAD, onNothing };
    new StreamReading(own, { ...what, onMessage: () => undefined });
  });
  await own.drain();
  expect(told.filter((notice) => notice.startsWith('reading'))).toEqual([]);
});
