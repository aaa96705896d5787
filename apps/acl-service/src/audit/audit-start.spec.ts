/** Rules of a start: it knows where every chain ends without reading the audit, and is not deceived by what others put over it. */
import { jest } from '@jest/globals';
import { MemoryStore, NatsTransport, openBucket, SealedStore, type Store } from '@natrium/bus';
import { type ChainEnd, clusterOf, decode, randomBytes, readAudit, SigningKey, sodiumReady } from '@natrium/envelope';
import { type Broker, FakeClock, startBroker } from '@natrium/testing';
import { AuditArchive } from './audit-archive.js';
import { AuditIndex } from './audit-index.js';
import { AuditLog } from './audit-log.js';

const NOW = 1_795_000_000_000;
/** Of the questions about the stream itself, for those about each chain, and about each whose beginning is gone. */
const [ASKED, ASKED_OF_CHAIN, ASKED_OF_CUT] = [8, 2, 4];
const DAY_MS = 86_400_000;

beforeAll(sodiumReady);

/** Writes a chain of so many groups with two records each. @returns Its end. */
async function writeChain(into: Store, instance: string, groups: number): Promise<ChainEnd> {
  const log = new AuditLog(into, {
    instance,
    heads: [],
    now: new FakeClock(NOW).now,
    windowMs: 0,
    growsMs: 0,
    onFailure: (cause) => {
      throw cause;
    },
    onRecovered: () => undefined,
  });
  for (let n = 0; n < groups; n += 1) {
    for (const rule of ['one', 'two']) log.note({ what: 'policy', verdict: 'in_force', rule, detail: {} });
    await log.settled();
  }
  return log.end;
}

function sealedWith(store: Store) {
  const key = { id: 'k', key: randomBytes(32) };
  return new SealedStore(store, { newest: key, byId: (id) => (id === 'k' ? key : undefined) }, () => undefined);
}

/** Cuts off the first of a chain's groups. */
async function cutOff(store: Store, chain: string, groups: number): Promise<void> {
  const acl = SigningKey.generate();
  const cluster = clusterOf(acl.publicKey);
  const options = { acl, cluster, aclKeys: () => [acl.publicKey], now: () => NOW + 2 * DAY_MS, days: () => 1 };
  const archive = new AuditArchive(store, await AuditIndex.open(store), options);
  const number = 2 * groups - 1;
  const last = await store.get(`a.${chain}.${String(number + 1)}`);
  const read = readAudit((decode(last!.value) as readonly Uint8Array[])[0]!);
  if (!read.ok) throw new Error('no record');
  const signed = await archive.sign([{ chain, number, hash: read.value.previous }]);
  if (!signed.ok) throw new Error(signed.error.sentence);
  await archive.putInForce(signed.value);
  for (let swept = await archive.sweep(0); !swept.isLast;) swept = await archive.sweep(swept.next);
}

const endsIn = async (store: Store) => (await AuditIndex.open(store)).ends();

describe('a start, at the real broker', () => {
  let broker: Broker;
  const open: NatsTransport[] = [];
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(async () => {
    await Promise.all(open.map((transport) => transport.drain()));
    await broker.stop();
  });

  async function aView(name: string) {
    const transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
    open.push(transport);
    return { transport, store: await openBucket(transport, { name: `NT_test_${name}`, replicas: 1, ttlMs: 0 }) };
  }

  it.each([20, 300])('hears no more of chains of %d groups than their ends', async (groups) => {
    const { store } = await aView(`long${String(groups)}`);
    const written: ChainEnd[] = [];
    for (const chain of ['acl1', 'acl2', 'acl3']) written.push(await writeChain(store, chain, groups));
    const starting = await aView(`long${String(groups)}`);
    const before = starting.transport.connection.stats().inMsgs;
    expect(await endsIn(starting.store)).toEqual(written);
    const heard = starting.transport.connection.stats().inMsgs - before;
    expect(heard).toBeLessThanOrEqual(ASKED + ASKED_OF_CHAIN * written.length);
  });

  it.each([20, 300])('hears no more of chains of %d groups whose beginnings were archived', async (groups) => {
    const { store } = await aView(`cut${String(groups)}`);
    const written = [await writeChain(store, 'acl1', groups), await writeChain(store, 'acl2', groups)];
    await cutOff(store, 'acl1', groups - 1);
    const starting = await aView(`cut${String(groups)}`);
    const before = starting.transport.connection.stats().inMsgs;
    const named = jest.spyOn(starting.store, 'keyNames');
    const index = await AuditIndex.open(starting.store);
    expect(await index.ends()).toEqual(written);
    const heard = starting.transport.connection.stats().inMsgs - before;
    expect(heard).toBeLessThanOrEqual(ASKED + ASKED_OF_CHAIN + ASKED_OF_CUT);
    // Not of a whole chain: of each group that was deleted its name is there.
    expect(named.mock.calls).toEqual([['a.*.0']]);
    const { groups: kept } = await index.page({ from: 0, limit: 1, chain: 'acl1' });
    expect(kept.map(({ first }) => first)).toEqual([2 * (groups - 1)]);
  });

  it('finds the end of a chain that went on after the note of it was made, and of one without a note', async () => {
    const { store } = await aView('noted');
    const end = await writeChain(store, 'acl1', 9);
    await cutOff(store, 'acl1', 5);
    for (const note of ['a.acl1.16', 'a.acl1.12', 'a.acl1.2', 'a.acl2.0', 'x', '']) {
      await store.put('e.acl1', Buffer.from(note));
      expect(await endsIn(store)).toEqual([end]);
    }
    await store.delete('e.acl1');
    expect(await endsIn(store)).toEqual([end]);
  });

  it('hears of what is written after it, of each chain', async () => {
    const { store } = await aView('on');
    const first = await writeChain(store, 'acl1', 3);
    const index = await AuditIndex.open((await aView('on')).store);
    const second = await writeChain(store, 'acl2', 3);
    await index.later((await store.bounds()).last - 1, 10_000);
    expect(await index.ends()).toEqual([first, second]);
  });
});

describe('the ends that a start names', () => {
  let raw: MemoryStore;
  let store: Store;
  let first: ChainEnd;
  let second: ChainEnd;
  beforeEach(async () => {
    raw = new MemoryStore('audit');
    store = sealedWith(raw);
    first = await writeChain(store, 'acl1', 12);
    second = await writeChain(store, 'acl2', 12);
  });

  it('are in the order in which they were written, and none where there is no audit', async () => {
    expect(await endsIn(store)).toEqual([first, second]);
    expect(await endsIn(new MemoryStore('audit'))).toEqual([]);
  });

  it.each([0, 2, 8, 20])(
    'are the last by number also where the group of record %d was put over itself again',
    async (number) => {
      const key = `a.acl1.${String(number)}`;
      const old = await raw.get(key);
      await raw.put(key, old!.value);
      expect(await endsIn(store)).toContainEqual(first);
    },
  );

  it('are the last that opens, where somebody put behind it what nobody sealed', async () => {
    for (const key of ['a.acl1.24', 'a.acl1.999', 'a.acl2.x', 'a.none.0', 'a.*.0']) await raw.put(key, randomBytes(64));
    expect([...(await endsIn(store))].sort((a, b) => (a.chain < b.chain ? -1 : 1))).toEqual([first, second]);
  });

  it('are not those of a group that was put under the key of another chain', async () => {
    await raw.put('a.acl2.24', (await raw.get('a.acl1.22'))!.value);
    expect(await endsIn(store)).toContainEqual(second);
    expect(await endsIn(store)).toContainEqual(first);
  });

  it.each([0, 1])(
    'are known of a chain of which %d groups open with a known key, as soon as the key of the others has come',
    async (opened) => {
      const [known, late] = ['known', 'late'].map((id) => ({ id, key: randomBytes(32) }));
      const sealed = new MemoryStore('audit');
      let groups = 0;
      const newest = () => ((groups += 1) <= opened ? known! : late!);
      const writer = new SealedStore(sealed, { get newest() { return newest(); }, byId: () => undefined }, () => undefined); // prettier-ignore
      const end = await writeChain(writer, 'acl1', 3);
      const has = [known!];
      const reader = new SealedStore(sealed, { newest: known!, byId: (id) => has.find((key) => key.id === id) }, () => undefined); // prettier-ignore
      const index = await AuditIndex.open(reader);
      expect((await index.ends()).map(({ number }) => number)).toEqual(opened === 0 ? [] : [1]);
      has.push(late!);
      expect(await index.ends()).toEqual([end]);
    },
  );
});
