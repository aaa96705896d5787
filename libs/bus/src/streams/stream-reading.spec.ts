/** Rules of reading a stream on and on, at a real broker. */
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
