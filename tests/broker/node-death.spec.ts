/** One node of three is killed and stays down: who read or followed there hears on from the others. */
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import {
  type Entry,
  type Journal,
  journalToRead,
  NatsTransport,
  openBucket,
  openJournal,
  readTrouble,
  type Store,
  storedKeyIds,
} from '@natrium/bus';
import { sealStored, sodiumReady } from '@natrium/envelope';
import { until } from '@natrium/testing';
import { BrokerNodes } from '../support/broker-nodes.js';

const LONG_MS = 240_000;
/** Of the death itself, and of a vote where the node led a stream. */
const SOON_MS = 20_000;
const READERS = 4;
/** For as long as the others still take the dead node for one that can be asked. */
const [LISTS, LIST_MS] = [80, 250];

let nodes: BrokerNodes;
let transports: readonly NatsTransport[];
let writer: NatsTransport;
let journal: Journal;
let bucket: Store;
/** By reader: the last sequence that it heard. */
const heard: number[] = [];
/** Asked from the death on. */
const lists: Promise<readonly Entry[]>[] = [];
/** By follower: the last value that it heard. */
const followed: (number | undefined)[] = [];
/** What the readers at each node were told of their reading. */
const told: string[][] = [[], [], []];
let dead = '';

beforeAll(async () => {
  await sodiumReady();
  nodes = await BrokerNodes.make(3);
  for (let n = 0; n < 3; n += 1) await nodes.startOne();
  const connect = (servers: readonly string[], onNotice: (notice: string) => void = () => undefined) =>
    NatsTransport.connect({ servers, name: 'test', waitOnFirstConnect: true, onNotice });
  transports = await Promise.all(
    nodes.nodes.map(({ url }, n) =>
      connect([url], (notice) => {
        if (notice.startsWith('reading')) told[n]?.push(notice);
      }),
    ),
  );
  writer = await connect(nodes.nodes.map(({ url }) => url));
  journal = await openJournal(writer, {
    name: 'NEWS',
    subjects: 'news.*',
    replicas: 3,
    keepMs: 600_000,
    maxBytes: 1 << 30,
  });
  bucket = await openBucket(writer, { name: 'KEYS', replicas: 3, ttlMs: 0 });
  await bucket.put('a', Uint8Array.of(1));
  for (const transport of transports) {
    const follower = followed.push(undefined) - 1;
    const own = await openBucket(transport, { name: 'KEYS', replicas: 3, ttlMs: 0 });
    await own.follow(({ value }) => void (followed[follower] = value?.[0]));
    for (let n = 0; n < READERS; n += 1) {
      const reader = heard.push(0) - 1;
      journalToRead(transport, 'NEWS').read({ everything: true }, ({ sequence }) => void (heard[reader] = sequence));
    }
  }
  expect(await journal.append('news.a', Uint8Array.of(1), 0)).toBe(1);
  await until('each reader hears', () => heard.every((last) => last === 1));
}, LONG_MS);
afterAll(async () => {
  await Promise.all([writer, ...transports].map((transport) => transport.drain()));
  await nodes.stop();
});

const isKept = (write: Promise<unknown>) => write.then(() => true, () => false); // prettier-ignore

/** The node at which some consumer of a stream is. */
async function nodeOfSome(stream: string): Promise<string> {
  const { consumers } = await jetstreamManager(writer.connection);
  for await (const { cluster } of consumers.list(stream)) if (cluster?.leader !== undefined) return cluster.leader;
  throw new Error(`nobody reads ${stream}`);
}

async function bucketOnlyAt(node: string): Promise<Store> {
  const { streams } = await jetstreamManager(writer.connection);
  const name = 'NT_c_one';
  const placement = { cluster: 'nodes', tags: [node] };
  await streams.add({ name: `KV_${name}`, subjects: [`$KV.${name}.>`], num_replicas: 1, placement });
  return openBucket(writer, { name, replicas: 1, ttlMs: 0 });
}

function sealUnder(id: string, store: Store): Promise<unknown> {
  return store.put('a', sealStored({ id, key: new Uint8Array(32) }, `${store.name}/a`, Uint8Array.of(1)));
}

async function listAgainAndAgain(): Promise<void> {
  for (let n = 0; n < LISTS; n += 1) {
    const list = bucket.list('>');
    list.catch(() => undefined); // told of below
    lists.push(list);
    await pause(LIST_MS);
  }
}

it(
  'the next message is heard by every reader while the node that some of them read at stays down',
  async () => {
    dead = await nodeOfSome('NEWS');
    await sealUnder('key-1', await openBucket(writer, { name: 'NT_c_data', replicas: 3, ttlMs: 0 }));
    await sealUnder('key-2', await bucketOnlyAt(dead));
    expect(await storedKeyIds(writer, 'c')).toEqual(new Set(['key-1', 'key-2']));
    await nodes.endOne(dead);
    void listAgainAndAgain();
    // That it is there already says so too.
    await until('a message is kept', () => isKept(journal.append('news.b', Uint8Array.of(2), 0)), SOON_MS);
    await until('each reader hears of it', () => heard.every((last) => last === 2), SOON_MS);
  },
  LONG_MS,
);

it(
  'and so is the next value by every follower',
  async () => {
    await until('a value is kept', () => isKept(bucket.put('a', Uint8Array.of(2))), SOON_MS);
    await until('each follower hears of it', () => followed.every((value) => value === 2), SOON_MS);
  },
  LONG_MS,
);

it(
  'no reading of a store failed meanwhile',
  async () => {
    await until('all are asked', () => lists.length === LISTS);
    const read = await Promise.allSettled(lists);
    expect(read.filter(({ status }) => status === 'rejected')).toEqual([]);
  },
  LONG_MS,
);

it(
  'which storage keys are needed is not said while what one node alone has cannot be read: a key that it names would be deleted',
  async () => {
    const { streams } = await jetstreamManager(writer.connection);
    await until('another leads', () => isKept(streams.names().next()), SOON_MS);
    expect(await storedKeyIds(writer, 'c')).toBeUndefined();
  },
  LONG_MS,
);

it(
  'with a second one gone nothing can be read at the last, which is trouble, and told once for each that reads',
  async () => {
    const living = nodes.nodes.flatMap(({ name }, n) => (name === dead ? [] : [{ name, n }]));
    const [second, last] = living;
    const transport = transports[last?.n ?? 0];
    if (second === undefined || last === undefined || transport === undefined) throw new Error('two nodes live');
    expect(readTrouble(transport)).toBeUndefined();
    const before = told[last.n]?.length ?? 0;
    await nodes.endOne(second.name);
    // All others may read at the node that lives, which fails none of them and has nothing more for them.
    journalToRead(transport, 'NEWS').read({ everything: true }, () => undefined);
    await until('that is trouble', () => readTrouble(transport) !== undefined, 2 * SOON_MS);
    expect((told[last.n]?.length ?? 0) - before).toBeLessThanOrEqual(READERS + 2);
  },
  LONG_MS,
);
