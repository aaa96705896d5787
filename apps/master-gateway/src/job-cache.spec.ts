/** Rules of the job cache: one job for each request, one for each jid, found by both; one return for each minion. */
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import { parseJid, type Value } from '@natrium/model';
import { until } from '@natrium/testing';
import type { records } from '@natrium/wire';
import { JobCache } from './job-cache.js';
import { takenMs } from './job-index.js';

const digestOf = (n: number) => n.toString(16).padStart(64, '0');
const jidOf = (n: number) => parseJid(`2026112014164600000${n}`)!;

function aRecord(n: number, change: Partial<records.JobRecord> = {}): records.JobRecord {
  return {
    request: Uint8Array.of(n),
    signature: null,
    jid: jidOf(n),
    caller: { kind: 'minion', name: 'web1' },
    grant: { bytes: Uint8Array.of(1), signature: new Uint8Array(64) },
    instance: 'gw1',
    members: [{ id: 'web1', key: new Uint8Array(32) }],
    missing: [],
    started: 0,
    ...change,
  };
}

const aReturn = (n: number, id: string, ret = 'x'): records.StoredReturn => ({
  jid: jidOf(n),
  id,
  status: 'done',
  outcome: { ret, retcode: 0, success: true, out: null },
  at: 1,
});

/** Jobs of even numbers, and the groups. */
let store: MemoryStore;
/** Jobs of odd numbers. */
let odd: MemoryStore;
/** In the broker's memory, for two minutes. */
let taken: MemoryStore;
let cache: JobCache;
let other: JobCache;
beforeEach(() => {
  store = new MemoryStore('jobs');
  odd = new MemoryStore('jobs2');
  taken = new MemoryStore('jids');
  cache = new JobCache({ kept: [store, odd], taken }, 'gw1');
  other = new JobCache({ kept: [store, odd], taken }, 'gw2');
});

const keysIn = async (of: MemoryStore, pattern: string) => (await of.list(pattern)).map(({ key }) => key).sort();
/** Of all jobs. */
const keys = async () => [...(await keysIn(store, 'd.*')), ...(await keysIn(odd, 'd.*'))].sort();
const indexWritten = () => until('the index is written', async () => (await keysIn(store, 'i.>')).length > 0);

describe('what a gateway that is gone has left', () => {
  it('is found from its oldest open job on, and is another’s once that has moved it', async () => {
    await cache.begin();
    for (const n of [1, 2, 3, 4]) await cache.create(aRecord(n), digestOf(n));
    await indexWritten();
    await cache.tellOldest((place) => place === digestOf(2));
    expect(await other.instances()).toEqual(['gw1']);
    expect((await other.leftBy('gw1')).map(({ place }) => place)).toEqual([digestOf(2), digestOf(4)]);
    const found = await other.find(digestOf(2));
    expect(await other.move(found!, digestOf(2))).toBe(true);
    expect(await other.move(found!, digestOf(2))).toBe(false);
    expect((await other.leftBy('gw1')).map(({ place }) => place)).toEqual([digestOf(4)]);
    expect((await other.byJid(jidOf(2)))?.instance).toBe('gw2');
  });

  it('is told of again after a while: a gateway that was only cut off is found when it dies later', async () => {
    jest.useFakeTimers();
    try {
      await cache.begin();
      await cache.create(aRecord(1), digestOf(1));
      await cache.tellOldest(() => true);
      await other.forget('gw1');
      await cache.tellOldest(() => true);
      expect(await other.leftBy('gw1')).toEqual([]);
      jest.advanceTimersByTime(30_000);
      await cache.tellOldest(() => true);
      expect((await other.leftBy('gw1')).map(({ place }) => place)).toEqual([digestOf(1)]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is found by its jid when the gateway died before it had written that down, also where nobody goes on with it', async () => {
    await cache.create(aRecord(1), digestOf(1));
    await indexWritten();
    for (const forgotten of [store, taken]) await forget(forgotten);
    await other.keepIndex(aRecord(1), digestOf(1));
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));

    for (const forgotten of [store, taken]) await forget(forgotten);
    expect(await other.byJid(jidOf(1))).toBeUndefined();
    expect(await other.move((await other.find(digestOf(1)))!, digestOf(1))).toBe(true);
    await indexWritten();
    await forget(taken);
    expect(await other.byJid(jidOf(1))).toMatchObject({ instance: 'gw2' });
  });

  async function forget(of: MemoryStore): Promise<void> {
    for (const key of await keysIn(of, of === taken ? '>' : 'i.>')) await of.delete(key);
  }

  it('stays where it is when its jid is another job’s, also when the broker has forgotten who took that', async () => {
    await cache.create(aRecord(1), digestOf(1));
    await indexWritten();
    await forget(taken);
    // Written by a gateway that died before it heard that the jid was taken.
    await cache.create(aRecord(1, { request: Uint8Array.of(2) }), digestOf(3));
    await forget(taken);
    expect(await other.move((await other.find(digestOf(3)))!, digestOf(3))).toBe(false);
    expect(await other.find(digestOf(3))).toMatchObject({ record: { instance: 'gw1' } });
  });

  it('is nothing when it is not known', async () => {
    expect(await other.leftBy('gw9')).toEqual([]);
  });
});

it.each([1, 30, 60, 300])(
  'who has a jid is remembered for longer than two clocks may differ that are %i s off',
  (skew) => {
    expect(takenMs(skew * 1000)).toBeGreaterThanOrEqual(4 * skew * 1000);
    expect(takenMs(skew * 1000)).toBeGreaterThanOrEqual(120_000);
  },
);

describe('a job', () => {
  it('is in one of two buckets, by its request', async () => {
    for (const n of [1, 2, 3, 4]) await cache.create(aRecord(n), digestOf(n));
    expect(await keysIn(store, 'd.*')).toEqual([2, 4].map((n) => `d.${digestOf(n)}`));
    expect(await keysIn(odd, 'd.*')).toEqual([1, 3].map((n) => `d.${digestOf(n)}`));
  });

  it('is found by its request and by its jid, also by another gateway', async () => {
    expect(await cache.create(aRecord(1), digestOf(1))).toEqual({ type: 'created' });
    expect(await other.byDigest(digestOf(1))).toEqual(aRecord(1));
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));
    expect(await other.byJid(jidOf(2))).toBeUndefined();
    expect(await other.byDigest(digestOf(2))).toBeUndefined();
  });

  it('is found by its jid for as long as it is kept, when the broker has forgotten who took that', async () => {
    await cache.create(aRecord(1), digestOf(1));
    await cache.create(aRecord(2), digestOf(2));
    await indexWritten();
    for (const n of [1, 2]) await taken.delete(jidOf(n));
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));
    expect(await other.byJid(jidOf(2))).toEqual(aRecord(2));
    expect(await other.byJid(jidOf(3))).toBeUndefined();
  });

  it('is as good as open until its index is written, which is tried until it is; and before its gateway ends', async () => {
    class Refusing extends MemoryStore {
      left = 1;
      override put(key: string, value: Uint8Array): Promise<number> {
        if (!key.startsWith('i.') || this.left <= 0) return super.put(key, value);
        this.left -= 1;
        return Promise.reject(new Error('no disk'));
      }
    }
    store = new Refusing('jobs');
    [cache, other] = [
      new JobCache({ kept: [store, odd], taken }, 'gw1'),
      new JobCache({ kept: [store, odd], taken }, 'gw2'),
    ];
    await cache.begin();
    await cache.create(aRecord(1), digestOf(1));
    await cache.tellOldest(() => false);
    expect((await other.leftBy('gw1')).map(({ place }) => place)).toEqual([digestOf(1)]);
    await indexWritten();
    await cache.tellOldest(() => false);
    expect(await other.leftBy('gw1')).toEqual([]);
    await cache.create(aRecord(2), digestOf(2));
    await cache.close();
    await taken.delete(jidOf(2));
    expect(await other.byJid(jidOf(2))).toEqual(aRecord(2));
  });

  it('of a request that has one already is that one, and no index of the second stays', async () => {
    await cache.create(aRecord(1), digestOf(1));
    expect(await other.create(aRecord(2), digestOf(1))).toEqual({ type: 'exists', record: aRecord(1) });
    expect(await other.byJid(jidOf(2))).toBeUndefined();
    expect(await keys()).toEqual([`d.${digestOf(1)}`]);
    expect(await keysIn(taken, '>')).toEqual([jidOf(1)]);
  });

  it('whose jid another gateway took is not made, and nothing of it stays', async () => {
    await cache.create(aRecord(1), digestOf(1));
    expect(await other.create(aRecord(1, { instance: 'gw2' }), digestOf(2))).toEqual({ type: 'jid_taken' });
    expect(await other.byDigest(digestOf(2))).toBeUndefined();
    expect((await cache.byJid(jidOf(1)))?.instance).toBe('gw1');
    expect(await keys()).toHaveLength(1);
  });

  it('of the same request and jid is followed', async () => {
    await cache.create(aRecord(1), digestOf(1));
    expect(await other.create(aRecord(1), digestOf(1))).toEqual({ type: 'exists', record: aRecord(1) });
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));
  });

  it('is made once by many gateways at the same time', async () => {
    const creations = await Promise.all(
      [cache, other, cache, other].map((one, n) => one.create(aRecord(n + 1), digestOf(1))),
    );
    expect(creations.filter(({ type }) => type === 'created')).toHaveLength(1);
    expect(await keysIn(taken, '>')).toHaveLength(1);
  });

  it('is listed with the others, oldest first', async () => {
    for (const n of [3, 1, 2]) await cache.create(aRecord(n), digestOf(n));
    expect((await other.all()).map(({ jid }) => jid)).toEqual([1, 2, 3].map(jidOf));
  });
});

describe('a job that could not be written', () => {
  /** Writes nothing while it is away; what it was given then comes into effect when it is told so. */
  class LateStore extends MemoryStore {
    away = true;
    readonly #late: (() => Promise<unknown>)[] = [];

    override create(key: string, value: Uint8Array): Promise<number | undefined> {
      if (!this.away) return super.create(key, value);
      this.#late.push(() => super.create(key, value));
      return Promise.reject(new Error('no acknowledgement in time'));
    }

    async comesBack(): Promise<void> {
      this.away = false;
      for (const write of this.#late.splice(0)) await write();
    }
  }

  let late: LateStore;
  beforeEach(() => {
    late = new LateStore('jobs');
    cache = new JobCache({ kept: [store, late], taken }, 'gw1');
    other = new JobCache({ kept: [store, late], taken }, 'gw2');
  });

  it('is taken back when its write comes into effect after all', async () => {
    await expect(cache.create(aRecord(1), digestOf(1))).rejects.toThrow('no acknowledgement');
    await late.comesBack();
    expect(await other.byDigest(digestOf(1))).toMatchObject({ instance: 'gw1' });
    await until('it is gone', async () => (await other.byDigest(digestOf(1))) === undefined);
  });

  it('stays when its caller has asked another gateway meanwhile', async () => {
    await expect(cache.create(aRecord(1), digestOf(1))).rejects.toThrow('no acknowledgement');
    late.away = false;
    expect(await other.create(aRecord(2, { instance: 'gw2' }), digestOf(1))).toEqual({ type: 'created' });
    await late.comesBack();
    await looked();
    expect(await other.byDigest(digestOf(1))).toMatchObject({ instance: 'gw2' });
  });

  it('stays when its caller has asked the same gateway again, which goes on with it', async () => {
    await expect(cache.create(aRecord(1), digestOf(1))).rejects.toThrow('no acknowledgement');
    await late.comesBack();
    expect(await cache.move((await cache.find(digestOf(1)))!, digestOf(1))).toBe(true);
    await looked();
    expect(await other.byDigest(digestOf(1))).toMatchObject({ jid: jidOf(1) });
  });

  /** Another one that was written late is gone, so that this one was looked at too. */
  async function looked(): Promise<void> {
    late.away = true;
    await expect(cache.create(aRecord(9), digestOf(9))).rejects.toThrow('no acknowledgement');
    await late.comesBack();
    await until('another is gone', async () => (await other.byDigest(digestOf(9))) === undefined);
  }
});

describe('returns', () => {
  it('are found by their job, whichever gateway stored them', async () => {
    await Promise.all([cache.storeReturn(aReturn(1, 'web1')), other.storeReturn(aReturn(1, 'web2'))]);
    await cache.storeReturn(aReturn(2, 'db1'));
    expect((await cache.returnsOf(aRecord(1))).map(({ id }) => id).sort()).toEqual(['web1', 'web2']);
    expect((await cache.returnsOf(aRecord(2))).map(({ id }) => id)).toEqual(['db1']);
    expect(await cache.returnsOf(aRecord(3))).toEqual([]);
  });

  it('count once for each minion: the first', async () => {
    await cache.storeReturn(aReturn(1, 'web1', 'first'));
    await other.storeReturn(aReturn(1, 'web1', 'second'));
    expect((await cache.returnsOf(aRecord(1))).map(({ outcome }) => outcome.ret)).toEqual(['first']);
  });

  it('of which one cannot be encoded are stored without that one', async () => {
    let deep: Value = 'x';
    for (let n = 0; n < 40; n += 1) deep = [deep];
    const odd = { ...aReturn(1, 'web2'), outcome: { ...aReturn(1, 'web2').outcome, ret: deep } };
    const [one, two, three] = [aReturn(1, 'web1'), odd, aReturn(1, 'web3')].map((ret) => cache.storeReturn(ret));
    await expect(two).rejects.toThrow('levels');
    await Promise.all([one, three]);
    expect((await cache.returnsOf(aRecord(1))).map(({ id }) => id)).toEqual(['web1', 'web3']);
  });

  it('that are too many for one message are in several, and all of them are found', async () => {
    const large = 'x'.repeat(40_000);
    const ids = Array.from({ length: 60 }, (_, n) => `web${String(n)}`);
    await Promise.all(ids.map((id) => cache.storeReturn(aReturn(1, id, large))));
    expect(await keysIn(store, 'r.>')).toHaveLength(3);
    expect((await cache.returnsOf(aRecord(1))).map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  it('that come together cost one write', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => cache.storeReturn(aReturn(1, `web${n}`))));
    expect(await keysIn(store, 'r.>')).toHaveLength(1);
    expect(await cache.returnsOf(aRecord(1))).toHaveLength(50);
  });
});

describe('returns that come when their gateway is gone', () => {
  it('are written a few at a time, however many come in one moment, and all of them', async () => {
    let underWay = 0;
    let most = 0;
    class Counting extends MemoryStore {
      override async create(key: string, value: Uint8Array): Promise<number | undefined> {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return super.create(key, value);
      }
    }
    cache = new JobCache({ kept: [new Counting('jobs'), odd], taken }, 'gw1');
    const ids = Array.from({ length: 1000 }, (_, n) => `web${String(n)}`);
    await Promise.all(ids.map((id) => cache.storeLate(aReturn(1, id), id)));
    expect(most).toBe(128);
    expect((await cache.returnsOf(aRecord(1))).map(({ id }) => id)).toEqual(ids);
  });

  it('do not keep a place when their write fails', async () => {
    class Refusing extends MemoryStore {
      left = 200;
      override create(key: string, value: Uint8Array): Promise<number | undefined> {
        this.left -= 1;
        return this.left < 0 ? super.create(key, value) : Promise.reject(new Error('no disk'));
      }
    }
    cache = new JobCache({ kept: [new Refusing('jobs'), odd], taken }, 'gw1');
    const ids = Array.from({ length: 300 }, (_, n) => `web${String(n)}`);
    const ends = await Promise.allSettled(ids.map((id) => cache.storeLate(aReturn(1, id), id)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
  });
});
