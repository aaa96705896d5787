/** Rules of waiting for what is written of a store at a real broker: heard once it is there, with one consumer for all who wait for the same. */
import { type Broker, startBroker, until } from '@natrium/testing';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { NatsTransport } from '../nats/nats-transport.js';
import type { Change, Store } from '../ports/store.js';
import { openBucket } from './nats-store.js';
import { SharedFollowing } from './shared-following.js';

const text = (value: string) => Uint8Array.from(Buffer.from(value));
const read = ({ key, value }: Change) => `${key}=${value === undefined ? 'gone' : Buffer.from(value).toString()}`;

/** Each rule has a bucket of its own: nats-server may still be removing the files of one that it calls deleted. */
let made = 0;
let name: string;
let broker: Broker;
let transport: NatsTransport;
let manager: JetStreamManager;
let store: Store;
let shared: SharedFollowing<string>;

beforeAll(async () => {
  broker = await startBroker();
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
  manager = await jetstreamManager(transport.connection);
});
beforeEach(async () => {
  name = `NT_test_shared_${String(++made)}`;
  store = await openBucket(transport, { name, replicas: 1, ttlMs: 0 });
  shared = new SharedFollowing(store, read);
});
afterEach(() => manager.streams.delete(`KV_${name}`));
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});

const consumers = async () => (await manager.streams.info(`KV_${name}`)).state.consumer_count;

/** Waits for a text; the others that it hears before are noted. */
function waitFor(wanted: string, pattern: string) {
  const heard: string[] = [];
  const found = new AbortController();
  const take = (one: string) => {
    heard.push(one);
    if (one === wanted) found.abort();
  };
  return { heard, giveUp: found, done: shared.hear(pattern, take, found.signal) };
}

it('ends with what was waited for, be it there or written later, and hears nothing of other patterns', async () => {
  await store.put('g.1.a', text('old'));
  const there = waitFor('g.1.a=old', 'g.1.*');
  const later = waitFor('g.1.b=new', 'g.1.*');
  await there.done;
  await store.put('g.2.a', text('other'));
  await store.put('g.1.b', text('new'));
  await later.done;
  expect([there.heard, later.heard]).toEqual([['g.1.a=old'], ['g.1.a=old', 'g.1.b=new']]);
});

it('ends when a value is removed', async () => {
  await store.put('j.1', text('job'));
  const gone = waitFor('j.1=gone', 'j.1');
  await store.delete('j.1');
  await gone.done;
  expect(gone.heard.at(-1)).toBe('j.1=gone');
});

it('has one consumer for all who wait under a pattern, who hear all the same whenever they came, and none when nobody does', async () => {
  await store.put('g.1.a', text('1'));
  const early = Array.from({ length: 20 }, () => waitFor('g.1.b=1', 'g.1.*'));
  const mark = waitFor('g.1.a=2', 'g.1.*');
  await store.put('g.1.a', text('2'));
  await mark.done;
  expect(await consumers()).toBe(1);
  const late = waitFor('g.1.b=1', 'g.1.*');
  await store.put('g.1.b', text('1'));
  await Promise.all([...early, late].map(({ done }) => done));
  expect(late.heard).toEqual(['g.1.a=2', 'g.1.b=1']);
  await until('its consumer is gone', async () => (await consumers()) === 0);
});

it('is given up by one without the others', async () => {
  const [one, other] = [waitFor('g.1.a=1', 'g.1.*'), waitFor('g.1.a=1', 'g.1.*')];
  one.giveUp.abort();
  await one.done;
  await store.put('g.1.a', text('1'));
  await other.done;
  expect([one.heard, other.heard]).toEqual([[], ['g.1.a=1']]);
  await until('its consumer is gone', async () => (await consumers()) === 0);
});

it('asks the store nothing for who has given up already, and begins anew for who comes after all have gone', async () => {
  const none = new SharedFollowing<string>({ follow: () => Promise.reject(new Error('asked')) }, read);
  await none.hear('g.1.*', () => undefined, AbortSignal.abort());
  await store.put('g.1.a', text('1'));
  await waitFor('g.1.a=1', 'g.1.*').done;
  await store.put('g.1.a', text('2'));
  const anew = waitFor('g.1.a=2', 'g.1.*');
  await anew.done;
  expect(anew.heard).toEqual(['g.1.a=2']);
});

it('asks the store once while a follower of it begins, however many give up meanwhile', async () => {
  let begin: (pattern: string) => void = () => undefined;
  const begun = new Promise<string>((resolve) => (begin = resolve));
  let asked = 0;
  const slow = { follow: async (...how: Parameters<Store['follow']>) => {
    asked += 1;
    await begun;
    return store.follow(...how);
  } }; // prettier-ignore
  shared = new SharedFollowing(slow, read);
  for (let n = 0; n < 5; n += 1) {
    const waiting = waitFor('g.1.a=1', 'g.1.*');
    waiting.giveUp.abort();
    await waiting.done;
  }
  const last = waitFor('g.1.a=1', 'g.1.*');
  begin('g.1.*');
  await store.put('g.1.a', text('1'));
  await last.done;
  expect(asked).toBe(1);
  await until('its consumer is gone', async () => (await consumers()) === 0);
  await waitFor('g.1.a=1', 'g.1.*').done;
  expect(asked).toBe(2);
});

it('fails where the store cannot be read, and not the next time for that', async () => {
  const { follow } = store;
  let failures = 1;
  const failing = { follow: (...how: Parameters<Store['follow']>) => failures-- > 0 ? Promise.reject(new Error('no broker')) : follow.apply(store, how) }; // prettier-ignore
  shared = new SharedFollowing(failing, read);
  await expect(waitFor('g.1.a=1', 'g.1.*').done).rejects.toThrow('no broker');
  await store.put('g.1.a', text('1'));
  await waitFor('g.1.a=1', 'g.1.*').done;
});
