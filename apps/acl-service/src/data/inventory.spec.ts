/** Rules of the inventory: only a minion's own newest document counts, and what is remembered of targets is forgotten with each change. */
import { MemoryStore, StoredCorrupt } from '@natrium/bus';
import { type Cluster, clusterOf, encode, fp, signData, SigningKey, sodiumReady, type Wire } from '@natrium/envelope';
import type { ValueMap } from '@natrium/model';
import { until } from '@natrium/testing';
import { records, writeAs } from '@natrium/wire';
import { Inventory } from './inventory.js';
import type { MinionPillar } from './pillar-source.js';

let store: MemoryStore;
let cluster: Cluster;
let web1: SigningKey;
let clock: { now(): number; readonly skewMs: number };
let pillars: {
  inDoubt: boolean;
  revision: number;
  of: (id: string, grains: ValueMap) => MinionPillar;
};
beforeAll(sodiumReady);
beforeEach(() => {
  store = new MemoryStore('data');
  cluster = clusterOf(SigningKey.generate().publicKey);
  web1 = SigningKey.generate();
  clock = { now: () => 1000, skewMs: 100 };
  pillars = { inDoubt: false, revision: 0, of: (id, { os = null }) => ({ pillar: { for: id, os }, revision: 7 }) };
});

const open = () => Inventory.open(store, cluster, pillars, clock);
const data = (number: number, os: string, by = web1) => signData(by, cluster, { number, grains: { os } });

describe('the inventory', () => {
  it('takes a newer document, on every replica, and no older one', async () => {
    const [one, two] = [await open(), await open()];
    expect(await one.write(web1.publicKey, data(5, 'Debian'))).toBe(true);
    expect(await one.write(web1.publicKey, data(6, 'Alpine'))).toBe(true);
    expect(await one.write(web1.publicKey, data(5, 'Debian'))).toBe(false);
    for (const inventory of [one, two]) expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Alpine' });
  });

  it('takes no document of another, and no second one under the same number', async () => {
    const inventory = await open();
    expect(await inventory.write(web1.publicKey, data(5, 'Debian', SigningKey.generate()))).toBe(false);
    expect(inventory.dataOf(web1.publicKey, 'web1')).toBeUndefined();
    expect(await inventory.write(web1.publicKey, data(5, 'Debian'))).toBe(true);
    expect(await inventory.write(web1.publicKey, data(5, 'Alpine'))).toBe(false);
    expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Debian' });
  });

  it('takes what is made now over what was made while a clock was ahead, on every replica, and then no older one', async () => {
    const [one, two] = [await open(), await open()];
    expect(await one.write(web1.publicKey, data(1100, 'in time'))).toBe(true);
    clock.now = () => 2000;
    for (const ahead of [1800, 1900]) expect(await one.write(web1.publicKey, data(ahead, 'ahead'))).toBe(true);
    clock.now = () => 1200;
    expect(await one.write(web1.publicKey, data(1900, 'second'))).toBe(false);
    expect(await one.write(web1.publicKey, data(1300, 'now'))).toBe(true);
    for (const late of [1300, 1299, 1100, 1301, 1900, 1901])
      expect([late, await two.write(web1.publicKey, data(late, 'not now'))]).toEqual([late, false]);
    for (const inventory of [one, two, await open()]) expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'now' });
  });

  it('takes a later one of a minion whose clock is ahead, as long as there is none that was made in time', async () => {
    const inventory = await open();
    for (const ahead of [1800, 1900]) expect(await inventory.write(web1.publicKey, data(ahead, 'Alpine'))).toBe(true);
    expect(await inventory.write(web1.publicKey, data(1850, 'Debian'))).toBe(false);
    expect(await inventory.write(web1.publicKey, data(900, 'Debian'))).toBe(true);
  });

  it('knows whose a document is that it does not take, so that it can be forgotten', async () => {
    const tooMuch = signData(web1, cluster, { number: 5, grains: { text: 'x'.repeat(1 << 20) } });
    await store.put(
      fp(web1.publicKey),
      encode(writeAs(records.DataEntry, { identity: web1.publicKey, data: tooMuch }) as Wire),
    );
    const inventory = await open();
    expect([inventory.grainsOf(web1.publicKey), inventory.keys]).toEqual([undefined, [web1.publicKey]]);
    await inventory.forget(web1.publicKey);
    expect([inventory.keys, await store.keyNames('>')]).toEqual([[], []]);
  });

  it.each<[string, (n: number) => Wire]>([
    ['1 MiB', (n) => ({ text: 'x'.repeat((1 << 20) - 64 + 64 * n) })],
    ['100,000 values', (n) => ({ all: Array.from({ length: 99_998 + n }, () => ({})) })],
  ])('takes no grains of more than %s, from nobody and out of no store', async (_, grains) => {
    const inventory = await open();
    const [fits, tooMuch] = [0, 1].map((n) => signData(web1, cluster, { number: 5 + n, grains: grains(n) }));
    expect(await inventory.write(web1.publicKey, tooMuch!)).toBe(false);
    expect(await inventory.write(web1.publicKey, fits!)).toBe(true);
    const entry = { identity: web1.publicKey, data: tooMuch! };
    await store.put(fp(web1.publicKey), encode(writeAs(records.DataEntry, entry) as Wire));
    expect((await open()).grainsOf(web1.publicKey)).toBeUndefined();
  });

  it('takes no grains that are nested too deeply to be read beside others’', async () => {
    const inventory = await open();
    const nested = (number: number, levels: number) => {
      let grains: Wire = 'deep';
      for (let level = 0; level < levels; level += 1) grains = { in: grains };
      return signData(web1, cluster, { number, grains });
    };
    expect(await inventory.write(web1.publicKey, nested(5, 23))).toBe(false);
    expect(inventory.grainsOf(web1.publicKey)).toBeUndefined();
    expect(await inventory.write(web1.publicKey, nested(5, 22))).toBe(true);
  });

  it.each<[string, Wire]>([
    ['a tag that nobody knows', { os: { $odd: '1' } }],
    ['bytes', { os: new Uint8Array(2) }],
    ['no mapping', ['Debian']],
  ])('takes no grains that are no values: %s', async (_, grains) => {
    const inventory = await open();
    expect(await inventory.write(web1.publicKey, signData(web1, cluster, { number: 5, grains }))).toBe(false);
    expect(inventory.grainsOf(web1.publicKey)).toBeUndefined();
    expect(await inventory.write(web1.publicKey, data(5, 'Debian'))).toBe(true);
  });

  it('takes a document that it has under its own signature only', async () => {
    const inventory = await open();
    const document = data(5, 'Debian');
    const forged = { ...document, signature: data(5, 'Alpine').signature };
    expect(await inventory.write(web1.publicKey, forged)).toBe(false);
    expect(await inventory.write(web1.publicKey, document)).toBe(true);
    expect(await inventory.write(web1.publicKey, forged)).toBe(false);
    expect(await inventory.write(web1.publicKey, document)).toBe(true);
  });

  it('has another revision after each change of grains or pillar, and the same one after the same document', async () => {
    const inventory = await open();
    const revisions = [inventory.revision];
    for (const document of [data(5, 'Debian'), data(6, 'Alpine')]) {
      await inventory.write(web1.publicKey, document);
      revisions.push(inventory.revision);
      expect(await inventory.write(web1.publicKey, document)).toBe(true);
      expect(inventory.revision).toBe(revisions.at(-1));
    }
    pillars.revision += 1;
    expect(new Set([...revisions, inventory.revision]).size).toBe(4);
  });

  it('knows the pillar of whoever has sent data', async () => {
    const inventory = await open();
    expect(inventory.pillarOf(web1.publicKey, 'web1')).toBeUndefined();
    await inventory.write(web1.publicKey, data(5, 'Debian'));
    expect(inventory.pillarOf(web1.publicKey, 'web1')).toEqual({ pillar: { for: 'web1', os: 'Debian' }, revision: 7 });
    expect(inventory.dataOf(web1.publicKey, 'web1')).toEqual({
      grains: { os: 'Debian' },
      pillar: { for: 'web1', os: 'Debian' },
      pillarInDoubt: false,
    });
    pillars.inDoubt = true;
    expect(inventory.dataOf(web1.publicKey, 'web1')?.pillarInDoubt).toBe(true);
  });

  it('says that what one lacks is in doubt, whose pillar was left out', async () => {
    pillars.of = (id) => (id === 'web1' ? { pillar: {}, revision: 0, isLeftOut: true } : { pillar: {}, revision: 7 });
    const inventory = await open();
    await inventory.write(web1.publicKey, data(5, 'Debian'));
    const inDoubt = ['web1', 'web2'].map((id) => inventory.dataOf(web1.publicKey, id)?.pillarInDoubt);
    expect(inDoubt).toEqual([true, false]);
  });
});

describe('a document on its way to the store', () => {
  /** Writes are taken when the test says so; the store tells its followers before the writer. */
  function slowly() {
    const { create, update } = store;
    const waiting: ((takes: boolean) => void)[] = [];
    const taken = async () => {
      if (!(await new Promise<boolean>((resolve) => waiting.push(resolve))))
        throw new Error('the broker takes no writes');
    };
    store.create = (...entry) => taken().then(() => create.apply(store, entry));
    store.update = (...entry) => taken().then(() => update.apply(store, entry));
    const quickly = () => Object.assign(store, { create, update });
    return { waiting, quickly };
  }

  it('that the store does not take changes nothing, on no replica, and may come again', async () => {
    const [one, two] = [await open(), await open()];
    await one.write(web1.publicKey, data(5, 'Debian'));
    const { revision } = one;
    const { waiting, quickly } = slowly();
    const refused = expect(one.write(web1.publicKey, data(6, 'Alpine'))).rejects.toThrow('takes no writes');
    (await until('it is written', () => waiting[0]))(false);
    await refused;
    for (const inventory of [one, two]) expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Debian' });
    expect(one.revision).toBe(revision);
    quickly();
    expect(await one.write(web1.publicKey, data(6, 'Alpine'))).toBe(true);
    for (const inventory of [one, two]) expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Alpine' });
    expect(one.revision).toBe(revision + 1);
  });

  it('is nobody’s grains yet, and no older or second one goes after it', async () => {
    const inventory = await open();
    const { waiting } = slowly();
    const document = data(6, 'Alpine');
    const written = [inventory.write(web1.publicKey, document), inventory.write(web1.publicKey, document)];
    expect(inventory.grainsOf(web1.publicKey)).toBeUndefined();
    expect(await inventory.write(web1.publicKey, data(5, 'Debian'))).toBe(false);
    expect(await inventory.write(web1.publicKey, data(6, 'Debian'))).toBe(false);
    for (const take of waiting) take(true);
    expect(await Promise.all(written)).toEqual([true, true]);
    expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Alpine' });
    expect(inventory.revision).toBe(1);
  });

  it('gives way to one that another replica stored meanwhile: to a newer one, or to any when it is not stored itself', async () => {
    for (const takes of [true, false]) {
      store = new MemoryStore('data');
      const [one, two] = [await open(), await open()];
      const { waiting, quickly } = slowly();
      const late = one.write(web1.publicKey, data(6, 'Alpine')).catch(() => 'not taken');
      const take = await until('it is written', () => waiting[0]);
      quickly();
      expect(await two.write(web1.publicKey, data(takes ? 7 : 5, 'Debian'))).toBe(true);
      take(takes);
      expect(await late).toBe(takes ? false : 'not taken');
      // The third reads what is stored.
      for (const inventory of [one, two, await open()])
        expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Debian' });
    }
  });

  it('does not go over a newer one that this replica has not heard of, and goes over what is no document at all', async () => {
    const place = fp(web1.publicKey);
    const deaf = await Inventory.open(
      Object.assign(store, { follow: () => Promise.resolve({ close: () => undefined }) }),
      cluster,
      pillars,
      clock,
    );
    const stored = encode(writeAs(records.DataEntry, { identity: web1.publicKey, data: data(6, 'Alpine') }) as Wire);
    await store.put(place, stored);
    expect(await deaf.write(web1.publicKey, data(5, 'Debian'))).toBe(false);
    expect((await store.get(place))?.value).toEqual(stored);
    const revision = await store.put(place, Uint8Array.of(1));
    expect(await deaf.write(web1.publicKey, data(5, 'Debian'))).toBe(true);
    await store.put(place, stored);
    store.get = () => Promise.reject(new StoredCorrupt(place, revision + 2)); // its storage key is gone
    expect(await deaf.write(web1.publicKey, data(6, 'Debian'))).toBe(true);
  });

  it('is held when it is stored, whatever became of another try with the same or an earlier one', async () => {
    store.follow = () => Promise.resolve({ close: () => undefined }); // it hears only what it writes
    const inventory = await open();
    await inventory.write(web1.publicKey, data(5, 'Debian'));
    const { waiting } = slowly();
    const document = data(6, 'Alpine');
    const [failing, taken] = [inventory.write(web1.publicKey, document), inventory.write(web1.publicKey, document)];
    const refused = expect(failing).rejects.toThrow('takes no writes');
    await until('both are written', () => waiting.length === 2);
    expect(await inventory.write(web1.publicKey, data(5, 'Debian'))).toBe(true); // it is what is stored
    waiting[0]!(false);
    await refused;
    waiting[1]!(true);
    expect(await taken).toBe(true);
    expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Alpine' });
  });

  it('is held where another try stores it, after its key was forgotten in between', async () => {
    let forget: Parameters<typeof store.follow>[0] = () => undefined;
    // It hears only what it is told here.
    store.follow = (onEntry) => {
      forget = onEntry;
      return Promise.resolve({ close: () => undefined });
    };
    const inventory = await open();
    await inventory.write(web1.publicKey, data(5, 'Debian'));
    const { update } = store;
    store.update = async (key) => {
      store.update = update;
      await store.delete(key);
      forget({ key, value: undefined });
      return undefined; // somebody else was quicker
    };
    expect(await inventory.write(web1.publicKey, data(6, 'Alpine'))).toBe(true);
    expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Alpine' });
  });

  it('of a key that is forgotten meanwhile is nobody’s grains', async () => {
    const inventory = await open();
    await inventory.write(web1.publicKey, data(5, 'Debian'));
    const { update } = store;
    store.update = async (key, ...entry) => {
      const revision = await update.call(store, key, ...entry);
      await store.delete(key); // heard before the acknowledgement
      return revision;
    };
    await inventory.write(web1.publicKey, data(6, 'Alpine'));
    expect(inventory.grainsOf(web1.publicKey)).toBeUndefined();
  });
});
