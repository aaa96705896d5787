/** A broker of three nodes that are not all there yet: a service waits for them, says so, and not for ever. */
import { NatsTransport, openBucket, openJournal } from '@natrium/bus';
import { BrokerNodes } from '../support/broker-nodes.js';

const LONG_MS = 240_000;
/** Below the time of a test, so that what is missing is told. */
const FOR_MS = 200_000;
const READS = 300;
const THREE = { replicas: 3, ttlMs: 0 };

let nodes: BrokerNodes;
let transport: NatsTransport;
beforeAll(async () => {
  nodes = await BrokerNodes.make(3);
  await nodes.startOne();
  await nodes.startOne();
  transport = await NatsTransport.connect({ servers: [nodes.url], name: 'test', waitOnFirstConnect: true });
}, LONG_MS);
afterAll(async () => {
  await transport.drain();
  await nodes.stop();
});

it(
  'without patience the first try counts; with it, what is missing and what to do is told when it is over',
  async () => {
    await expect(openBucket(transport, { name: 'NOW', ...THREE })).rejects.toThrow(
      /no suitable peers|unavailable|timeout/,
    );
    const patience = { forMs: 1000, tell: () => undefined };
    await expect(openBucket(transport, { name: 'NEVER', ...THREE, patience })).rejects.toThrow(
      /no place for NEVER within 1 s .*start the missing nodes/,
    );
  },
  LONG_MS,
);

it(
  'a failure that no waiting mends is told at once',
  async () => {
    const tell = () => {
      throw new Error('nothing was to be waited for');
    };
    const opening = openBucket(transport, { name: 'no name', ...THREE, patience: { forMs: FOR_MS, tell } });
    await expect(opening).rejects.toThrow(/name/);
  },
  LONG_MS,
);

it(
  'the missing node is waited for with a word, and then the stores are there',
  async () => {
    const told: string[] = [];
    let onMissing: () => void = () => undefined;
    const missing = new Promise<void>((resolve) => (onMissing = resolve));
    const tell = (sentence: string) => {
      told.push(sentence);
      if (sentence.endsWith('to keep SOON: no suitable peers for placement')) onMissing();
    };
    const patience = { forMs: FOR_MS, tell };
    const opening = Promise.all([
      openBucket(transport, { name: 'SOON', ...THREE, patience }),
      openJournal(transport, {
        name: 'NEWS',
        subjects: 'news.*',
        replicas: 3,
        keepMs: 60_000,
        maxBytes: 1 << 30,
        patience,
      }),
    ]);
    await missing;
    await nodes.startOne();
    const [bucket, journal] = await opening;
    await bucket.put('a', Uint8Array.of(1));
    expect((await bucket.get('a'))?.value).toEqual(Uint8Array.of(1));
    expect(await journal.append('news.a', Uint8Array.of(1), 0)).toBe(1);
    expect(told).toContain('SOON is there: the broker has its nodes');
    expect(told).toContain('NEWS is there: the broker has its nodes');
  },
  LONG_MS,
);

it(
  'what was just written is found by key and by revision, whichever node the reader is at and however far that one is behind',
  async () => {
    const bucket = await openBucket(transport, { name: 'READ', ...THREE });
    for (let n = 0; n < READS; n += 1) {
      const written = { key: `k.${String(n)}`, value: Uint8Array.of(1) };
      const revision = await bucket.put(written.key, written.value);
      expect(await bucket.get(written.key)).toEqual({ ...written, revision });
      expect(await bucket.at(revision)).toEqual({ ...written, revision });
    }
  },
  LONG_MS,
);
