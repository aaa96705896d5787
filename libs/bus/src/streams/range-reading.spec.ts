/** Rules of reading what a stream has: no more than its reader takes, whole also when its consumer goes, and nothing stays behind. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type Broker, startBroker, until } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { RangeReading, type Told } from './range-reading.js';

const MESSAGES = 200;

let broker: Broker;
let transport: NatsTransport;
let reading: RangeReading;
beforeAll(async () => {
  broker = await startBroker();
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
  const { streams } = await jetstreamManager(transport.connection);
  await streams.add({ name: 'S', subjects: ['s.*.*'] });
  const write = (n: number) => jetstream(transport.connection).publish(`s.${String(n % 2)}.${String(n)}`);
  for (let n = 1; n <= MESSAGES; n += 1) await write(n);
  reading = new RangeReading(transport, 'S');
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});

async function consumers(): Promise<readonly string[]> {
  const { consumers: all } = await jetstreamManager(transport.connection);
  return (await all.list('S').next()).map(({ name }) => name);
}

async function read(messages: AsyncIterable<Told>, onEach: (seq: number) => unknown = () => undefined) {
  const seqs: number[] = [];
  for await (const { seq } of messages) {
    seqs.push(seq);
    if ((await onEach(seq)) === 'enough') break;
  }
  return seqs;
}

const upward = (from: number, step: number) => Array.from({ length: MESSAGES }, (_, n) => from + n * step);
const ALL = upward(1, 1);

it.each([
  ['s.*.*', 0, ALL],
  ['s.1.*', 0, upward(1, 2).slice(0, MESSAGES / 2)],
  ['s.*.*', 150, ALL.slice(149)],
  ['s.*.*', MESSAGES, [MESSAGES]],
  ['s.*.*', MESSAGES + 1, []],
  ['s.1.7', 0, [7]],
  ['s.2.*', 0, []],
])('%s from %i on is read in order', async (subject, since, seqs) => {
  expect(await read(reading.under(subject, since))).toEqual(seqs);
});

it.each([3, 8, 20, MESSAGES])('who has read %i and stops leaves no consumer at the broker', async (count) => {
  const seqs = await read(reading.under('s.*.*', 0), (seq) => (seq === count ? 'enough' : 'more'));
  expect(seqs).toEqual(ALL.slice(0, count));
  await until('its consumer is gone', async () => (await consumers()).length === 0);
});

it('is read whole and in order, the rest at the leader, when its consumer goes', async () => {
  const { consumers: all } = await jetstreamManager(transport.connection);
  const range = { subjects: ['s.0.*', 's.1.*'], after: 0, last: MESSAGES, ahead: 20 };
  const seqs = await read(reading.between(range), async (seq) => {
    if (seq === 10) for (const name of await consumers()) await all.delete('S', name);
  });
  expect(seqs).toEqual(ALL);
});
