/** Rules of waiting for a grant that another gateway is still writing, at a real broker: it is heard when it is there, and nobody looks for it again and again. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jest } from '@jest/globals';
import { NatsTransport, openBucket, type Store } from '@natrium/bus';
import { jidOf } from '@natrium/model';
import { type Broker, startBroker } from '@natrium/testing';
import type { records } from '@natrium/wire';
import { askedOf, recordOf } from './a-record.spec-support.js';
import { JobCache, type JobStores } from './job-cache.js';

const NOW = Date.UTC(2026, 10, 20, 14, 16, 46);
const YOUNG = jidOf((NOW - 500) * 1000);
const OTHER = jidOf((NOW - 499) * 1000);
const placeOf = (n: number) => n.toString(16).padStart(64, '0');
const NEVER = new AbortController().signal;

let broker: Broker;
let transport: NatsTransport;
let stores: JobStores;
let [writer, reader]: JobCache[] = [];
let buckets = 0;

beforeAll(async () => {
  broker = await startBroker();
  transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
});
beforeEach(async () => {
  const open = () => openBucket(transport, { name: `NT_test_jobs_${String((buckets += 1))}`, replicas: 1, ttlMs: 0 });
  stores = [await open(), await open()];
  [writer, reader] = ['gw1', 'gw2'].map((instance) => new JobCache(stores, { instance, now: () => NOW }));
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  await transport.drain();
  await broker.stop();
});

async function ask(jid: records.JobRecord['jid'], place: string): Promise<number> {
  const created = await writer!.create(askedOf(recordOf(jid)), place);
  if (created.type !== 'created') throw new Error('it exists');
  return created.revision;
}

const grant = (jid: records.JobRecord['jid'], place: string) => writer!.keepGrant(recordOf(jid), place, 'now');

/** Resolves when something of the store is followed. */
function followed(store: Store): Promise<void> {
  return new Promise((resolve) => {
    const follow = store.follow.bind(store);
    jest.spyOn(store, 'follow').mockImplementation((...how) => {
      resolve();
      return follow(...how);
    });
  });
}

/** All memory is collected that nothing holds. */
async function collected(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await turn(); // what weak references were made of or looked at is held until then
  (runInNewContext('gc') as () => void)();
}

describe('the grant of a young job', () => {
  it('that is there is read once, and nothing is followed', async () => {
    await ask(YOUNG, placeOf(1));
    await grant(YOUNG, placeOf(1));
    const [follow, list] = [jest.spyOn(stores[0], 'follow'), jest.spyOn(stores[0], 'list')];
    expect(await reader!.byJid(YOUNG)).toEqual(recordOf(YOUNG));
    expect([follow.mock.calls.length, list.mock.calls.length]).toEqual([0, 1]);
  });

  it('that is being written is heard, with one follower for all who want one of its second, and not read again', async () => {
    await ask(YOUNG, placeOf(1));
    await ask(OTHER, placeOf(2));
    // However slow the broker is.
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    const isFollowed = followed(stores[0]);
    const list = jest.spyOn(stores[0], 'list');
    const found = Array.from({ length: 20 }, (_, n) => reader!.byJid(n % 2 === 0 ? YOUNG : OTHER));
    await isFollowed;
    const read = list.mock.calls.length;
    await grant(YOUNG, placeOf(1));
    await grant(OTHER, placeOf(2));
    const jids = (await Promise.all(found)).map((record) => record?.jid);
    expect(jids).toEqual(found.map((_, n) => (n % 2 === 0 ? YOUNG : OTHER)));
    expect([jest.mocked(stores[0].follow).mock.calls.length, list.mock.calls.length]).toEqual([1, read]);
  });

  it('that is not heard in time is read at last', async () => {
    await ask(YOUNG, placeOf(1));
    jest.spyOn(stores[0], 'follow').mockImplementation(async () => {
      await grant(YOUNG, placeOf(1));
      return { close: () => undefined };
    });
    expect(await reader!.byJid(YOUNG)).toEqual(recordOf(YOUNG));
  });

  it('that nobody writes is none, also where memory is collected while it is waited for', async () => {
    await ask(YOUNG, placeOf(1));
    const isFollowed = followed(stores[0]);
    const found = reader!.byJid(YOUNG);
    await isFollowed;
    await collected();
    expect(await found).toBeUndefined();
  });
});

describe('a job that is not decided', () => {
  const PLACE = placeOf(1);
  let revision: number;
  let isDecided: boolean;
  const wait = async (signal: AbortSignal) => {
    isDecided = false;
    await reader!.whenDecided(YOUNG, PLACE, signal);
    isDecided = true;
  };
  beforeEach(async () => {
    await writer!.begin();
    revision = await ask(YOUNG, PLACE);
  });

  it('is known by its place until it is gone', async () => {
    expect(await reader!.placeOfUndecided(YOUNG)).toBe(PLACE);
    expect(await reader!.placeOfUndecided(OTHER)).toBeUndefined();
    expect(await writer!.drop(PLACE, revision)).toBe(true);
    expect(await reader!.placeOfUndecided(YOUNG)).toBeUndefined();
  });

  it('is waited for until its grant is written: not that of another, nor until another gateway goes on with it', async () => {
    const waiting = wait(NEVER);
    await ask(OTHER, placeOf(2));
    await grant(OTHER, placeOf(2));
    expect(await reader!.move((await reader!.find(PLACE))!, PLACE)).toBe(true);
    await heardUpToHere();
    expect(isDecided).toBe(false);
    await grant(YOUNG, PLACE);
    await waiting;
  });

  it('is waited for until it is gone, also where its caller has asked anew', async () => {
    const waiting = wait(NEVER);
    expect(await writer!.drop(PLACE, revision)).toBe(true);
    await waiting;
    await ask(OTHER, PLACE);
    await wait(NEVER);
  });

  it('is waited for as long as the caller wants', async () => {
    const enough = new AbortController();
    const waiting = wait(enough.signal);
    enough.abort();
    await waiting;
    await wait(AbortSignal.abort());
  });

  /** All that was written before has been told to who has followed since before. */
  async function heardUpToHere(): Promise<void> {
    for (const store of stores) {
      await store.put('mark', Uint8Array.of(1));
      await new Promise<void>((resolve) => {
        void store.follow(({ key }) => {
          if (key === 'mark') resolve();
        });
      });
    }
  }
});
