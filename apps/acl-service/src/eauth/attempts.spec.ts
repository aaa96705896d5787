/** Budgets of logins on a real broker, at two replicas that share nothing but its store. */
import { NatsTransport, openBucket, SealedStore, type Store } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { type Broker, startBroker } from '@natrium/testing';
import { Attempts, type Try } from './attempts.js';
import { Tallies } from './tallies.js';

const fred = { eauth: 'ldap', username: 'fred', address: '192.0.2.1' };
const thatch = { ...fred, username: 'thatch' };
const elsewhere = { ...fred, address: '192.0.2.2' };

const storageKey = { id: 'k', key: new Uint8Array(32).fill(7) };
const storageKeys = { newest: storageKey, byId: () => storageKey };
const nameKey = { id: 'names', key: new Uint8Array(32).fill(9) };

let broker: Broker;
let transports: readonly NatsTransport[];
let bucket = 0;
let now = 0;
/** One of the cluster's acl-services each, by its own connection. */
let replicas: readonly Attempts[];
let stores: readonly Store[];

beforeAll(async () => {
  await sodiumReady();
  broker = await startBroker();
  const connect = () => NatsTransport.connect({ servers: [broker.url], name: 'test' });
  transports = [await connect(), await connect()];
});
afterAll(async () => {
  await Promise.all(transports.map((transport) => transport.drain()));
  await broker.stop();
});
beforeEach(async () => {
  bucket += 1;
  now = 1_000_000;
  stores = [await open(0), await open(1)];
  replicas = stores.map((store) => replicaOn(store));
});

function transportOf(index: number): NatsTransport {
  const transport = transports[index];
  if (transport === undefined) throw new Error('no such replica');
  return transport;
}

const bucketName = () => `NT_test_tokens${bucket}`;
const openRaw = (index: number) => openBucket(transportOf(index), { name: bucketName(), replicas: 1, ttlMs: 0 });

async function open(index: number): Promise<Store> {
  return new SealedStore(await openRaw(index), storageKeys, (error) => {
    throw error;
  });
}

const replicaOn = (store: Store) => new Attempts(new Tallies(store, nameKey, () => now), () => now);
const at = (index: number): Attempts => {
  const replica = replicas[index % replicas.length];
  if (replica === undefined) throw new Error('no replica');
  return replica;
};

type Begun = Try | 'locked' | 'busy';
const taken = (begun: Begun): Try => {
  if (typeof begun === 'string') throw new Error(`the try was ${begun}`);
  return begun;
};
const wordOf = (begun: Begun) => (typeof begun === 'string' ? begun : 'taken');

/** One after the other, each at the next replica. */
async function fail(times: number, who = fred): Promise<void> {
  for (let n = 0; n < times; n += 1) await taken(await at(n).begin(who)).failed();
}

/** What each replica says of one more try, which leaves nothing behind. */
async function said(who = fred): Promise<readonly string[]> {
  const words: string[] = [];
  for (const replica of replicas) {
    const begun = await replica.begin(who);
    words.push(wordOf(begun));
    if (typeof begun !== 'string') await begun.proved();
  }
  return words;
}

describe('an account', () => {
  it('is locked at every replica, from every address, after ten failures spread over them; no other account is', async () => {
    await fail(10);
    expect(await said()).toEqual(['locked', 'locked']);
    expect(await said(elsewhere)).toEqual(['locked', 'locked']);
    expect(await said(thatch)).toEqual(['taken', 'taken']);
    expect(await said({ ...fred, eauth: 'pam' })).toEqual(['taken', 'taken']);
  });

  it('is let in after nine, and begins anew with a good login', async () => {
    await fail(9);
    expect(await said()).toEqual(['taken', 'taken']);
    await fail(9);
    expect(await said()).toEqual(['taken', 'taken']);
  });

  it('is locked at a replica that starts later', async () => {
    await fail(10);
    replicas = [replicaOn(await open(0))];
    expect(await said()).toEqual(['locked']);
    expect(await said(thatch)).toEqual(['taken']);
  });

  it.each(['FRED', 'fReD', ' fred', 'fred  ', 'ｆｒｅｄ'])('has no second budget as %j', async (username) => {
    await fail(10);
    expect(await said({ ...fred, username })).toEqual(['locked', 'locked']);
  });

  it('is open again five minutes after the first of its tries', async () => {
    await fail(10);
    now += 299_999;
    expect(await said()).toEqual(['locked', 'locked']);
    now += 1;
    expect(await said()).toEqual(['taken', 'taken']);
  });

  it('gets ten guesses of many at once at both replicas, and is locked when they have failed', async () => {
    const begun = await Promise.all(Array.from({ length: 32 }, (_, n) => at(n).begin(fred)));
    const tries = begun.filter((one) => typeof one !== 'string');
    expect(tries).toHaveLength(10);
    expect(begun.filter((one) => one === 'busy')).toHaveLength(22);
    await Promise.all(tries.map((one) => one.failed()));
    expect(await said()).toEqual(['locked', 'locked']);
  });

  it('is not locked by many at once that are right', async () => {
    for (let round = 0; round < 3; round += 1) {
      const begun = await Promise.all(Array.from({ length: 10 }, (_, n) => at(n).begin(fred)));
      await Promise.all(begun.map((one) => taken(one).proved()));
    }
    expect(await said()).toEqual(['taken', 'taken']);
  });

  it('has no more guesses for tries whose process died: they count until the time is over', async () => {
    for (let n = 0; n < 10; n += 1) taken(await at(n).begin(fred));
    expect(await said()).toEqual(['busy', 'busy']);
    now += 300_000;
    expect(await said()).toEqual(['taken', 'taken']);
  });

  it('gets nothing back, in a new time, for a try of the one before; its failure counts', async () => {
    const old = [taken(await at(0).begin(fred)), taken(await at(1).begin(fred))];
    now += 300_000;
    await fail(8);
    await old[0]?.failed();
    const ninth = await at(1).begin(fred);
    expect([wordOf(ninth), wordOf(await at(0).begin(fred))]).toEqual(['taken', 'busy']);
    await taken(ninth).failed();
    expect(await said()).toEqual(['locked', 'locked']);
  });
});

describe('an address', () => {
  it('is locked at every replica after a hundred failures under any names, and a good login does not open it', async () => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) =>
        taken(await at(n).begin({ ...fred, username: `user${String(n)}` })).failed(),
      ),
    );
    expect(await said({ ...fred, username: 'somebody' })).toEqual(['locked', 'locked']);
    expect(await said({ ...elsewhere, username: 'somebody' })).toEqual(['taken', 'taken']);
  });

  it('of IPv6 is one with its whole /64: a hundred failures from as many of its addresses lock all of them, and no other network', async () => {
    const from = (group: number, n: number) => ({ ...fred, username: `user${String(n)}`, address: `2001:db8:0:${String(group)}::${n.toString(16)}` }); // prettier-ignore
    await Promise.all(Array.from({ length: 100 }, async (_, n) => taken(await at(n).begin(from(1, n))).failed()));
    expect(await said(from(1, 1000))).toEqual(['locked', 'locked']);
    expect(await said(from(2, 1000))).toEqual(['taken', 'taken']);
  });

  it('is let in after ninety-nine, whoever comes in meanwhile', async () => {
    for (let n = 0; n < 99; n += 1)
      await taken(await at(n).begin({ ...fred, username: `user${String(n % 50)}` })).failed();
    expect(await said({ ...fred, username: 'somebody' })).toEqual(['taken', 'taken']);
    await taken(await at(0).begin({ ...fred, username: 'user0' })).failed();
    expect(await said({ ...fred, username: 'somebody' })).toEqual(['locked', 'locked']);
  });

  it('that is locked takes nothing from an account, and a locked account takes from the address', async () => {
    await fail(10);
    for (let n = 0; n < 90; n += 1) expect(await at(n).begin(fred)).toBe('locked');
    expect(await said(thatch)).toEqual(['locked', 'locked']);
    for (let n = 0; n < 20; n += 1) expect(await at(n).begin(thatch)).toBe('locked');
    expect(await said({ ...elsewhere, username: 'thatch' })).toEqual(['taken', 'taken']);
  });
});

describe('the store', () => {
  it('holds no name and no address, in no more than 1,024 groups, and nothing once all is over', async () => {
    const store = await open(0);
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) =>
        taken(await at(n).begin({ ...fred, username: `user${String(n)}` })).failed(),
      ),
    );
    const raw = await (await openRaw(1)).list('>');
    expect(raw.length).toBeGreaterThan(1);
    for (const { key, value } of raw) {
      expect(key).toMatch(/^f\.[a-z2-7]{2}$/);
      expect(Buffer.from(value).toString('latin1')).not.toMatch(/user\d|192\.0\.2/);
    }
    const tallies = new Tallies(store, nameKey, () => now);
    await tallies.sweep();
    expect(await store.list('f.*')).toHaveLength(raw.length);
    now += 300_000;
    await fail(1);
    await tallies.sweep();
    expect((await store.list('f.*')).length).toBeLessThanOrEqual(2);
    now += 300_000;
    await tallies.sweep();
    expect(await store.list('f.*')).toEqual([]);
    expect(await said()).toEqual(['taken', 'taken']);
  });
});
