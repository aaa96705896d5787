/**
 * Rules of reading a stream that is lost and made anew, as when a broker lost its disk, or that is put back from a backup: nobody waits in
 * silence for what comes after the old one's end.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Broker, startBroker, until } from '@natrium/testing';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { NatsTransport } from '../nats/nats-transport.js';
import { openJournal } from '../storage/nats-journal.js';
import { openBucket } from '../storage/nats-store.js';

const BUCKET = { name: 'NT_test_anew', replicas: 1, ttlMs: 0 };
const JOURNAL = { name: 'NT_test_events', subjects: 'events.*', replicas: 1, keepMs: 60_000, maxBytes: 1 << 27 };
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

let broker: Broker;
let transport: NatsTransport;
let manager: JetStreamManager;
let alerts: string[];
beforeEach(async () => {
  broker = await startBroker();
  alerts = [];
  const onAlert = (alert: string) => alerts.push(alert);
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test', onAlert });
  manager = await jetstreamManager(transport.connection);
});
afterEach(async () => {
  await transport.drain();
  await broker.stop();
});

const told = (stream: string): unknown => [
  expect.stringMatching(`^${stream} was lost and made anew, or is older than .*start this service again`),
];

it('a follower of a bucket hears all that is in the new one, and an operator is told', async () => {
  const heard: string[] = [];
  const bucket = await openBucket(transport, BUCKET);
  for (const key of ['a', 'b', 'c']) await bucket.put(key, bytes(key));
  const following = await bucket.follow(({ key }) => heard.push(key));
  await manager.streams.delete(`KV_${BUCKET.name}`);
  const anew = await openBucket(transport, BUCKET);
  for (const key of ['d', 'e']) await anew.put(key, bytes(key));
  await until('what is new', () => heard.length >= 5);
  await anew.put('f', bytes('f'));
  await until('what comes later', () => heard.length >= 6);
  expect(heard).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(alerts).toEqual(told(`KV_${BUCKET.name}`));
  following.close();
});

it('of a journal, whose readers remember places in it, an operator is told', async () => {
  const heard: number[] = [];
  const journal = await openJournal(transport, JOURNAL);
  for (const last of [0, 1, 2]) await journal.append('events.a', bytes('x'), last);
  const reading = journal.read({ everything: true }, ({ sequence }) => void heard.push(sequence));
  await until('what is there', () => heard.length >= 3);
  await manager.streams.delete(JOURNAL.name);
  await openJournal(transport, JOURNAL);
  await until('an alert', () => alerts.length > 0);
  expect(alerts).toEqual(told(JOURNAL.name));
  reading.close();
});

it('of a journal, a reader that remembers no places hears all that is in the new one', async () => {
  const heard: string[] = [];
  const journal = await openJournal(transport, JOURNAL);
  for (const last of [0, 1, 2]) await journal.append('events.a', bytes(`old ${String(last)}`), last);
  const reading = journal.read({ since: 0 }, ({ value }) => void heard.push(Buffer.from(value).toString()));
  await until('what is there', () => heard.length >= 3);
  await manager.streams.delete(JOURNAL.name);
  const anew = await openJournal(transport, JOURNAL);
  await anew.append('events.a', bytes('new'), 0);
  await until('what is new', () => heard.length >= 4);
  await anew.append('events.a', bytes('later'), 1);
  await until('what comes later', () => heard.length >= 5);
  expect(heard).toEqual(['old 0', 'old 1', 'old 2', 'new', 'later']);
  expect(alerts).toEqual(told(JOURNAL.name));
  reading.close();
});

describe('of one that is put back as it was before the last messages', () => {
  let backup: string;
  beforeEach(() => (backup = mkdtempSync(join(tmpdir(), 'nt-backup-'))));
  afterEach(() => {
    rmSync(backup, { recursive: true });
  });

  const keep = () => {
    cpSync(broker.storeDir, backup, { recursive: true });
  };

  async function putBack(): Promise<void> {
    const port = Number(new URL(broker.url).port);
    await broker.stop();
    broker = await startBroker(port, backup);
  }

  it('a follower of a bucket hears all that it has, and what comes', async () => {
    const heard: string[] = [];
    const bucket = await openBucket(transport, BUCKET);
    await bucket.put('a', bytes('a'));
    keep();
    for (const key of ['b', 'c']) await bucket.put(key, bytes(key));
    const following = await bucket.follow(({ key }) => heard.push(key));
    await putBack();
    await until('an alert', () => alerts.length > 0);
    await bucket.put('d', bytes('d'));
    await until('what comes', () => heard.includes('d'));
    expect(heard).toEqual(['a', 'b', 'c', 'a', 'd']);
    expect(alerts).toEqual(told(`KV_${BUCKET.name}`));
    following.close();
  });

  it('of a journal, a reader that remembers no places hears what comes, and the last minute again', async () => {
    const heard: number[] = [];
    const journal = await openJournal(transport, JOURNAL);
    await journal.append('events.a', bytes('a'), 0);
    keep();
    for (const last of [1, 2]) await journal.append('events.a', bytes('x'), last);
    const reading = journal.read({ since: 0 }, ({ sequence }) => void heard.push(sequence));
    await until('what is there', () => heard.length >= 3);
    await putBack();
    await until('an alert', () => alerts.length > 0);
    await journal.append('events.a', bytes('y'), 1);
    await until('what comes', () => heard.length >= 5);
    expect(heard).toEqual([1, 2, 3, 1, 2]);
    expect(alerts).toEqual(told(JOURNAL.name));
    reading.close();
  });
});

it('of a stream that is still the same nobody is told anything, and nothing is heard twice', async () => {
  const heard: string[] = [];
  const bucket = await openBucket(transport, BUCKET);
  await bucket.put('a', bytes('a'));
  const following = await bucket.follow(({ key }) => heard.push(key));
  for await (const { name } of manager.consumers.list(`KV_${BUCKET.name}`))
    await manager.consumers.delete(`KV_${BUCKET.name}`, name);
  await bucket.put('b', bytes('b'));
  await until('what comes later', () => heard.length >= 2);
  expect([heard, alerts]).toEqual([['a', 'b'], []]);
  following.close();
});
