/**
 * Rules of reading a stream that is lost and made anew, as when a broker lost its disk, or that is put back from a backup: nobody waits in
 * silence for what comes after the old one's end.
 */
import { jest } from '@jest/globals';
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

const READ_AGAIN =
  'all that it has is read again; what it no longer has stays known here until this service is started';
const READ_ON = 'what came since is read, and the minute before again';
const UNHEARD = 'what comes up to the place that was read may not be heard; start this service again';
const told = (stream: string, then: string): unknown => [
  expect.stringMatching(`^${stream} was lost and made anew, or is older than what was read of it: ${then}`),
];

/** The question whether a stream is another, which follows each consumer that was made, waits for a word. */
function holdLooks() {
  const request = transport.connection.request.bind(transport.connection);
  const held: (() => void)[] = [];
  let [isHeld, isMade] = [true, false];
  const holding = jest.spyOn(transport.connection, 'request').mockImplementation(async (subject, ...rest) => {
    if (subject.startsWith('$JS.API.CONSUMER.CREATE.')) isMade = true;
    else if (isHeld && isMade && subject.startsWith('$JS.API.STREAM.INFO.')) {
      isMade = false;
      await new Promise<void>((go) => held.push(go));
    }
    return request(subject, ...rest);
  });
  const end = () => {
    isHeld = false;
    for (const go of held) go();
    holding.mockRestore();
  };
  return { held, end };
}

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
  expect(alerts).toEqual(told(`KV_${BUCKET.name}`, READ_AGAIN));
  following.close();
});

it.each([
  ['less than was read', ['d']],
  ['more than was read', ['d', 'e', 'f', 'g']],
])(
  'a follower whose reading ends before it is known that the bucket is new hears all of it: it has %s',
  async (_, keys) => {
    const heard: string[] = [];
    const bucket = await openBucket(transport, BUCKET);
    for (const key of ['a', 'b', 'c']) await bucket.put(key, bytes(key));
    const following = await bucket.follow(({ key }) => heard.push(key));
    await manager.streams.delete(`KV_${BUCKET.name}`);
    const anew = await openBucket(transport, BUCKET);
    for (const key of keys) await anew.put(key, bytes(key));
    const looks = holdLooks();
    try {
      await transport.connection.reconnect(); // sooner than its silence would tell
      await until('a look', () => looks.held.length === 1);
      if (keys.length > 3) await until('what is at a new place', () => heard.at(-1) === 'g');
      await transport.connection.reconnect();
      await until('the look of the next reading', () => looks.held.length === 2);
    } finally {
      looks.end();
    }
    heard.length = 0;
    await until('what is new', () => heard.length >= keys.length);
    expect([heard, alerts]).toEqual([keys, told(`KV_${BUCKET.name}`, READ_AGAIN)]);
    following.close();
  },
);

it('of a journal, whose readers remember places in it, an operator is told', async () => {
  const heard: number[] = [];
  const journal = await openJournal(transport, JOURNAL);
  for (const last of [0, 1, 2]) await journal.append('events.a', bytes('x'), last);
  const reading = journal.read({ everything: true }, ({ sequence }) => void heard.push(sequence));
  await until('what is there', () => heard.length >= 3);
  await manager.streams.delete(JOURNAL.name);
  await openJournal(transport, JOURNAL);
  await transport.connection.reconnect();
  await until('an alert', () => alerts.length > 0);
  expect(alerts).toEqual(told(JOURNAL.name, UNHEARD));
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
  await transport.connection.reconnect();
  await until('what is new', () => heard.length >= 4);
  await anew.append('events.a', bytes('later'), 1);
  await until('what comes later', () => heard.length >= 5);
  expect(heard).toEqual(['old 0', 'old 1', 'old 2', 'new', 'later']);
  expect(alerts).toEqual(told(JOURNAL.name, READ_ON));
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
    expect(alerts).toEqual(told(`KV_${BUCKET.name}`, READ_AGAIN));
    following.close();
  });

  it('a follower of one that has grown beyond what was read, before its leader was asked, hears all that it has', async () => {
    const heard: string[] = [];
    const bucket = await openBucket(transport, BUCKET);
    await bucket.put('a', bytes('a'));
    keep();
    for (const key of ['b', 'c']) await bucket.put(key, bytes(key));
    const following = await bucket.follow(({ key }) => heard.push(key));
    const looks = holdLooks();
    try {
      await putBack();
      await until('a look', () => looks.held.length > 0);
      for (const key of ['d', 'e', 'f']) await bucket.put(key, bytes(key));
    } finally {
      looks.end();
    }
    await until('what comes', () => heard.includes('e'));
    await until('all', () => heard.at(-1) === 'f');
    expect(heard.slice(-4)).toEqual(['a', 'd', 'e', 'f']);
    expect(alerts).toEqual(told(`KV_${BUCKET.name}`, READ_AGAIN));
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
    expect(alerts).toEqual(told(JOURNAL.name, READ_ON));
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
