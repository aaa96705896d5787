/** The real broker keeps the contracts of transport and store, and tells of a handler that threw. */
import { type Broker, startBroker } from '@natrium/testing';
import { openBucket } from './nats-store.js';
import { NatsTransport } from './nats-transport.js';
import { storeContract } from './store.contract.js';
import { transportContract } from './transport.contract.js';

let broker: Broker;
let buckets = 0;
const open: NatsTransport[] = [];

async function connect(onNotice?: (notice: string, cause?: unknown) => void): Promise<NatsTransport> {
  const transport = await NatsTransport.connect({
    servers: [broker.url],
    name: 'test',
    ...(onNotice === undefined ? {} : { onNotice }),
  });
  open.push(transport);
  return transport;
}

beforeAll(async () => {
  broker = await startBroker();
});
afterAll(async () => {
  await Promise.all(open.map((transport) => transport.drain()));
  await broker.stop();
});

transportContract('the real broker', () => ({ connect: () => connect() }));

storeContract('the JetStream bucket', async () => {
  buckets += 1;
  const options = { name: `NT_test_${buckets}`, replicas: 1, ttlMs: 0 };
  const [first, second] = [await connect(), await connect()];
  return [await openBucket(first, options), await openBucket(second, options)];
});

describe('the real broker', () => {
  it('tells which handler threw, and why, and stays connected', async () => {
    const notices: unknown[] = [];
    let noticed: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (noticed = resolve));
    const transport = await connect((notice, cause) => {
      notices.push([notice, (cause as Error | undefined)?.message]);
      noticed();
    });
    transport.subscribe('one', () => {
      throw new Error('a handler that fails');
    });
    await transport.flush();
    transport.publish('one', Uint8Array.of(1));
    await told;
    expect(notices).toEqual([['handler of one threw', 'a handler that fails']]);
    expect(transport.connection.isClosed()).toBe(false);
  });

  it('is not waited for when that was not asked', async () => {
    const missing = NatsTransport.connect({ servers: ['nats://127.0.0.1:1'], name: 'test', waitOnFirstConnect: false });
    await expect(missing).rejects.toThrow();
  });

  it('opens a bucket that is there already', async () => {
    const options = { name: 'NT_test_again', replicas: 1, ttlMs: 0 };
    const transport = await connect();
    await (await openBucket(transport, options)).put('a', Uint8Array.of(1));
    expect((await (await openBucket(transport, options)).get('a'))?.value).toEqual(Uint8Array.of(1));
  });
});
