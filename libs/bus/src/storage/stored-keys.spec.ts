/** Which keys are still needed, as a real broker tells it: what cannot be read may name any of them. */
import { jest } from '@jest/globals';
import { openStored, sealStored, type StorageKey, sodiumReady, storedKeyId } from '@natrium/envelope';
import { type Broker, startBroker } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { openBucket } from './nats-store.js';
import { resealAll, storedKeyIds } from './stored-keys.js';

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

it('what opens with a key that is there is sealed anew, and what opens with none is told and stays as it is', async () => {
  const bucket = await openBucket(transport, { name: 'NT_d_roster', replicas: 1, ttlMs: 0 });
  const [old, newest, another] = ['1', '2', '2'].map((id, n) => ({ id, key: new Uint8Array(32).fill(n) })) as [
    StorageKey,
    StorageKey,
    StorageKey,
  ];
  const keys = { newest, byId: (id: string) => [old, newest].find((key) => key.id === id) };
  const sealedBy = { a: old, b: newest, c: another, d: { ...another, id: '3' } };
  for (const [name, key] of Object.entries(sealedBy))
    await bucket.put(name, sealStored(key, `NT_d_roster/${name}`, Uint8Array.of(1)));
  expect(await resealAll(bucket, keys)).toEqual({ count: 1, unopened: 2 });
  const stored = Object.fromEntries((await bucket.list('>')).map(({ key, value }) => [key, value]));
  expect(Object.entries(stored).map(([name, value]) => [name, storedKeyId(value)])).toEqual(
    expect.arrayContaining(['a', 'b', 'c'].map((name) => [name, '2']).concat([['d', '3']])),
  );
  expect(openStored(keys.byId, 'NT_d_roster/a', stored['a'] ?? new Uint8Array()).ok).toBe(true);
  expect(openStored(() => another, 'NT_d_roster/c', stored['c'] ?? new Uint8Array()).ok).toBe(true);
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
