/** Rules of a consumer that is not known at every node of the broker yet: another is asked for, and what there is is read at once. */
import { type Consumer, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type Broker, startBroker } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { ConsumerReading } from './consumer-reading.js';
import { upTo } from './read-up-to.js';

const MESSAGES = 3;

let broker: Broker;
let transport: NatsTransport;
beforeAll(async () => {
  broker = await startBroker();
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
  const { streams } = await jetstreamManager(transport.connection);
  await streams.add({ name: 'S', subjects: ['s.*'] });
  for (let n = 0; n < MESSAGES; n += 1) await jetstream(transport.connection).publish(`s.${String(n)}`);
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});

/** Consumers of which the first ones are gone, so that the broker says of them what it says of one that a node does not know. */
class Asked {
  consumers = 0;

  constructor(private readonly unknown: number) {}

  readonly ask = async (): Promise<Consumer> => {
    this.consumers += 1;
    const consumer = await jetstream(transport.connection).consumers.get('S', { deliver_policy: DeliverPolicy.All });
    if (this.consumers <= this.unknown) await consumer.delete();
    return consumer;
  };
}

async function read(messages: ConsumerReading): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of upTo(messages, MESSAGES)) seqs.push(seq);
  messages.end();
  return seqs;
}

it.each([0, 1, 3])('is read from its beginning when the first %i are not known', async (unknown) => {
  const asked = new Asked(unknown);
  expect(await read(await ConsumerReading.begin(asked.ask))).toEqual([1, 2, 3]);
  expect(asked.consumers).toBe(unknown + 1);
});

it('is given up when none of several is known', async () => {
  const asked = new Asked(Infinity);
  await expect(read(await ConsumerReading.begin(asked.ask))).rejects.toThrow();
  expect(asked.consumers).toBe(6);
});

it('asks for no other when it was stopped', async () => {
  const asked = new Asked(1);
  const messages = await ConsumerReading.begin(asked.ask);
  messages.stop();
  const seqs: number[] = [];
  for await (const { seq } of messages) seqs.push(seq);
  expect([seqs, asked.consumers]).toEqual([[], 1]);
});
