/** The real broker keeps the contracts of transport and store, and tells of a handler that threw. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Broker, startBroker, until } from '@natrium/testing';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { NatsTransport } from '../nats/nats-transport.js';
import { storeContract } from '../ports/store.contract.js';
import { transportContract } from '../ports/transport.contract.js';
import { writeTrouble } from '../streams/stream-publisher.js';
import { openBucket } from './nats-store.js';

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

  it('has all that it sent before heard when a listener has caught up', async () => {
    const [listener, sender] = [await connect(), await connect()];
    let heard = 0;
    listener.subscribe('many', () => (heard += 1));
    await listener.flush();
    for (let n = 0; n < 5000; n += 1) sender.publish('many', new Uint8Array(1000));
    await sender.flush();
    await listener.caughtUp(60_000);
    expect(heard).toBe(5000);
  });

  it('gets an answer while very much still comes in', async () => {
    const [listener, sender] = [await connect(), await connect()];
    let heard = 0;
    let sentBefore = 0;
    const all = new Promise<void>((resolve) => {
      listener.subscribe('much', () => {
        heard += 1;
        if (heard === 1) {
          sentBefore = listener.connection.stats().outMsgs;
          listener.publish('answer', Uint8Array.of(1));
        }
        const until = performance.now() + 1;
        while (performance.now() < until);
        if (heard === 50) resolve();
      });
    });
    await listener.flush();
    // One packet, and so one turn of the listener.
    for (let n = 0; n < 50; n += 1) sender.publish('much', Uint8Array.of(1));
    await sender.flush();
    const sent = all.then(() => listener.connection.stats().outMsgs);
    expect(await sent).toBe(sentBefore + 1);
  });

  it('is not waited for by a listener that hears nothing of it', async () => {
    const gone = await startBroker();
    const listener = await NatsTransport.connect({ servers: [gone.url], name: 'test' });
    await gone.stop();
    const over = listener.caughtUp(60_000).then(() => 'over');
    expect(await Promise.race([over, pause(10_000, 'still waiting', { ref: false })])).toBe('over');
    await listener.connection.close();
  });

  it('is not waited for when that was not asked', async () => {
    const missing = NatsTransport.connect({ servers: ['nats://127.0.0.1:1'], name: 'test', waitOnFirstConnect: false });
    await expect(missing).rejects.toThrow();
  });

  it('that takes no writes to a bucket is told of once, with the reason, and once when it does again', async () => {
    const alerts: string[] = [];
    const overs: string[] = [];
    const transport = await NatsTransport.connect({
      servers: [broker.url],
      name: 'test',
      onAlert: (alert) => alerts.push(alert),
      onOver: (sentence) => overs.push(sentence),
    });
    open.push(transport);
    const bucket = await openBucket(transport, { name: 'NT_test_full', replicas: 1, ttlMs: 0 });
    await bucket.put('a', new Uint8Array(100));
    const { streams } = await jetstreamManager(transport.connection);
    await streams.update('KV_NT_test_full', { max_bytes: 300 });
    for (const key of ['b', 'c']) await expect(bucket.put(key, new Uint8Array(1000))).rejects.toThrow(/maximum bytes/);
    // Taken, which the full one says as well: it is no trouble, and its end neither.
    expect(await bucket.create('a', Uint8Array.of(1))).toBeUndefined();
    expect(writeTrouble(transport)).toMatch(/no writes to NT_test_full: JetStream: maximum bytes exceeded/);
    await streams.update('KV_NT_test_full', { max_bytes: -1 });
    await bucket.put('d', new Uint8Array(1000));
    expect(writeTrouble(transport)).toBeUndefined();
    const trouble = expect.stringContaining('takes no writes to NT_test_full') as string;
    const over = 'the broker takes writes to NT_test_full again';
    expect([alerts, overs]).toEqual([[trouble], [over]]);
  });

  it('that forgets where a follower is tells it what is put and deleted meanwhile and afterwards, and soon', async () => {
    const transport = await connect();
    const bucket = await openBucket(transport, { name: 'NT_test_followed', replicas: 1, ttlMs: 0 });
    for (const key of ['a', 'b']) await bucket.put(key, Uint8Array.of(1));
    const told: unknown[] = [];
    const following = await bucket.follow(({ key, value }) => told.push([key, value?.[0]]));
    const { consumers } = await jetstreamManager(transport.connection);
    for await (const { name } of consumers.list('KV_NT_test_followed')) {
      await consumers.delete('KV_NT_test_followed', name);
    }
    await bucket.put('a', Uint8Array.of(2));
    await bucket.delete('b');
    await bucket.put('c', Uint8Array.of(3));
    await until('the follower hears', () => told.length === 5, 5000);
    expect(told.slice(2)).toEqual([['a', 2], ['b', undefined], ['c', 3]]); // prettier-ignore
    following.close();
  });

  it('tells a follower all that is there also when the last of it goes meanwhile, or everything has gone', async () => {
    const transport = await connect();
    const { streams } = await jetstreamManager(transport.connection);
    // As an earlier version made it: messages could be deleted.
    await streams.add({ name: 'KV_NT_test_purged', subjects: ['$KV.NT_test_purged.>'], max_msgs_per_subject: 1 });
    const bucket = await openBucket(transport, { name: 'NT_test_purged', replicas: 1, ttlMs: 0 });
    const told: string[] = [];
    const follow = () => bucket.follow(({ key }) => told.push(key));
    await bucket.put('a', Uint8Array.of(1));
    const last = await bucket.put('b', Uint8Array.of(1));
    const following = follow();
    await streams.deleteMessage('KV_NT_test_purged', last);
    (await following).close();
    expect(told).toContain('a');
    await streams.purge('KV_NT_test_purged');
    told.length = 0;
    (await follow()).close();
    expect(told).toEqual([]);
  });

  it('lets nobody empty a bucket, nor delete messages of it; values are still replaced and deleted', async () => {
    const transport = await connect();
    const bucket = await openBucket(transport, { name: 'NT_test_kept', replicas: 1, ttlMs: 0 });
    const { streams } = await jetstreamManager(transport.connection);
    const first = await bucket.put('a', Uint8Array.of(1));
    await bucket.put('b', Uint8Array.of(1));
    await expect(streams.purge('KV_NT_test_kept')).rejects.toThrow('not permitted');
    await expect(streams.deleteMessage('KV_NT_test_kept', first)).rejects.toThrow('not permitted');
    for (const all of ['all', 'sub']) {
      const emptying = headers();
      emptying.set('Nats-Rollup', all);
      const said = jetstream(transport.connection).publish('$KV.NT_test_kept.b', '', { headers: emptying });
      await expect(said).rejects.toThrow('rollup not permitted');
    }
    expect((await bucket.list('>')).map(({ key }) => key)).toEqual(['a', 'b']);
    await bucket.put('a', Uint8Array.of(2));
    await bucket.delete('b');
    expect((await bucket.list('>')).map(({ key, value }) => [key, ...value])).toEqual([['a', 2]]);
  });

  it('drops values of a bucket after their time', async () => {
    const bucket = await openBucket(await connect(), { name: 'NT_test_short', replicas: 1, ttlMs: 500 });
    await bucket.put('a', Uint8Array.of(1));
    expect(await bucket.get('a')).toBeDefined();
    await until('it is gone', async () => (await bucket.get('a')) === undefined, 5000);
  });

  it('opens a bucket that is there already', async () => {
    const options = { name: 'NT_test_again', replicas: 1, ttlMs: 0 };
    const transport = await connect();
    await (await openBucket(transport, options)).put('a', Uint8Array.of(1));
    expect((await (await openBucket(transport, options)).get('a'))?.value).toEqual(Uint8Array.of(1));
  });
});
