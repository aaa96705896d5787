/** Which keys are still needed, as a real broker tells it: what cannot be read may name any of them. */
import { jest } from '@jest/globals';
import { sealStored, sodiumReady } from '@natrium/envelope';
import { type Broker, startBroker } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { openBucket } from './nats-store.js';
import { storedKeyIds } from './stored-keys.js';

const LONG_MS = 30_000;

let broker: Broker;
let transport: NatsTransport;
beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
  const bucket = await openBucket(transport, { name: 'NT_c_data', replicas: 1, ttlMs: 0 });
  for (const id of ['key-1', 'key-2']) {
    await bucket.put(id, sealStored({ id, key: new Uint8Array(32) }, `NT_c_data/${id}`, Uint8Array.of(1)));
  }
  await bucket.delete('key-2');
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});

it('the keys are told that stored values name, and no others', async () => {
  expect(await storedKeyIds(transport, 'c')).toEqual(new Set(['key-1']));
});

it(
  'nothing is told where a node gives nothing of what is stored',
  async () => {
    const { connection } = transport;
    const publish = connection.publish.bind(connection);
    const dead = jest.spyOn(connection, 'publish').mockImplementation((subject, ...rest) => {
      if (!subject.includes('.CONSUMER.MSG.NEXT.')) publish(subject, ...rest);
    });
    expect(await storedKeyIds(transport, 'c')).toBeUndefined();
    dead.mockRestore();
  },
  LONG_MS,
);
