/** Rules of the job cache: one job for each request, found by that and by its jid; one return for each minion. */
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import { parseJid, type Value } from '@natrium/model';
import { turnsDuring, until } from '@natrium/testing';
import type { records } from '@natrium/wire';
import { askedOf, recordOf } from './a-record.spec-support.js';
import { JobCache } from './job-cache.js';
import { takenMs } from './job-stores.js';

const digestOf = (n: number) => n.toString(16).padStart(64, '0');
const jidOf = (n: number) => parseJid(`2026112014164600000${n}`)!;
/** Seconds after these jids. */
const NOW = Date.UTC(2026, 10, 20, 14, 16, 56);

const aRecord = (n: number, change: Partial<records.JobRecord> = {}) =>
  recordOf(jidOf(n), { request: Uint8Array.of(n), caller: { kind: 'minion', name: 'web1' }, ...change });

const anAsked = (n: number, change: Partial<records.JobRecord> = {}) => askedOf(aRecord(n, change));

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
let now: number;
let cache: JobCache;
let other: JobCache;
beforeEach(() => {
  [store, odd] = [new MemoryStore('jobs'), new MemoryStore('jobs2')];
  now = NOW;
  [cache, other] = [aCache('gw1'), aCache('gw2')];
});

function aCache(instance: string): JobCache {
  return new JobCache([store, odd], { instance, now: () => now });
}

/** As a gateway makes a job that is granted; resolves when that is written. */
async function begin(n: number, digest = digestOf(n), change: Partial<records.JobRecord> = {}): Promise<void> {
  const record = aRecord(n, change);
  expect(await cache.create(askedOf(record), digest)).toMatchObject({ type: 'created' });
  await cache.keepGrant(record, digest);
}

const keysIn = async (of: MemoryStore, pattern: string) => (await of.list(pattern)).map(({ key }) => key).sort();
/** Of all jobs. */
const keys = async () => [...(await keysIn(store, 'j.*')), ...(await keysIn(odd, 'j.*'))].sort();

/** Of those that are granted. */
async function listed(of: JobCache): Promise<readonly string[]> {
  const jids = (await of.asked(() => true)).jobs.map(({ jid }) => jid);
  const callers = await of.callersOf(jids);
  return jids.filter((jid) => callers.has(jid));
}

describe('what another version has stored in another form', () => {
  const [foreign, second] = [Uint8Array.of(0x94, 0xc4, 0xff), jidOf(4).slice(0, 14)];
  beforeEach(async () => {
    await cache.begin();
    await store.put(`j.${digestOf(2)}`, foreign);
    for (const letter of ['g', 'r']) await store.put(`${letter}.${second}.gw0-1`, foreign);
  });

  it('hides no job, no grant and no return of this one, and no job that a gateway has left', async () => {
    await begin(4);
    await cache.storeReturn(aReturn(4, 'web1'));
    expect(await listed(other)).toEqual([jidOf(4)]);
    expect((await other.byJid(jidOf(4)))?.jid).toBe(jidOf(4));
    expect((await other.returnsOf(aRecord(4))).map(({ id }) => id)).toEqual(['web1']);
    expect((await other.leftBy('gw1')).map(({ place }) => place)).toEqual([digestOf(4)]);
  });

  it('is told of by its kind', async () => {
    const told = new Set<string>();
    const reader = new JobCache([store], { instance: 'gw4', now: () => NOW, onUnreadable: (kind) => told.add(kind) });
    expect(await listed(reader)).toEqual([]);
    await reader.byJid(jidOf(4));
    await reader.returnsOf(aRecord(4));
    expect([...told].sort()).toEqual(['grant', 'job', 'return']);
  });

  it('is still there: its request begins no second job', async () => {
    expect(await cache.create(anAsked(2), digestOf(2))).toEqual({ type: 'exists' });
    await expect(cache.find(digestOf(2))).rejects.toThrow();
  });
});

describe('what a gateway that is gone has left', () => {
  /** What has ended is looked at twice. */
  const lookTwice = async (isOpen: (place: string) => boolean) => {
    await cache.tellOldest(isOpen);
    await cache.tellOldest(isOpen);
  };
  const placesLeft = async () => (await other.leftBy('gw1')).map(({ place }) => place);

  it('is found from its oldest open job on, and is another’s once that has moved it', async () => {
    await cache.begin();
    for (const n of [1, 2, 3, 4]) await begin(n);
    await lookTwice((place) => place === digestOf(2));
    expect(await other.instances()).toEqual(['gw1']);
    expect(await placesLeft()).toEqual([digestOf(2), digestOf(4)]);
    const found = await other.find(digestOf(2));
    expect(await other.move(found!, digestOf(2))).toBe(true);
    expect(await other.move(found!, digestOf(2))).toBe(false);
    expect(await placesLeft()).toEqual([digestOf(4)]);
    expect((await other.byJid(jidOf(2)))?.instance).toBe('gw2');
    expect(other.movedFrom('gw1').map(({ place, asked }) => [place, asked.instance])).toEqual([[digestOf(2), 'gw1']]);
    expect([other.movedFrom('gw2'), cache.movedFrom('gw1')]).toEqual([[], []]);
  });

  it('is told of again at the next look: a gateway that was only cut off is found when it dies later', async () => {
    await cache.begin();
    await begin(1);
    await cache.tellOldest(() => true);
    await other.forget('gw1');
    expect(await placesLeft()).toEqual([]);
    await cache.tellOldest(() => true);
    expect(await placesLeft()).toEqual([digestOf(1)]);
  });

  it('is not written down again while nothing has changed, nor where the broker does not say whether it is there', async () => {
    await cache.begin();
    await cache.tellOldest(() => true);
    const [put, odds] = [jest.spyOn(store, 'put'), jest.spyOn(odd, 'put')];
    await cache.tellOldest(() => true);
    for (const one of [store, odd]) one.get = () => Promise.reject(new Error('timeout'));
    await cache.tellOldest(() => true);
    expect([...put.mock.calls, ...odds.mock.calls]).toEqual([]);
  });

  it('is as good as open until it is known what was granted, and until that is written', async () => {
    await cache.begin();
    await cache.create(anAsked(1), digestOf(1));
    await cache.tellOldest(() => false);
    expect(await placesLeft()).toEqual([digestOf(1)]);
    const written = cache.keepGrant(aRecord(1), digestOf(1));
    await cache.tellOldest(() => false);
    expect(await placesLeft()).toEqual([digestOf(1)]);
    await written;
    await lookTwice(() => false);
    expect(await placesLeft()).toEqual([]);
  });

  it('has what had not ended when its gateway last looked but one: what that says of its end may not be on the bus yet', async () => {
    await cache.begin();
    await begin(1);
    await cache.tellOldest(() => false);
    expect(await placesLeft()).toEqual([digestOf(1)]);
    await cache.tellOldest(() => false);
    expect(await placesLeft()).toEqual([]);
  });

  it('of which nobody knows what was granted is told from the others', async () => {
    await cache.begin();
    for (const n of [1, 2, 3, 4]) await cache.create(anAsked(n), digestOf(n));
    for (const n of [1, 4]) await cache.keepGrant(aRecord(n), digestOf(n));
    expect((await other.leftBy('gw1')).map(({ isGranted }) => isGranted)).toEqual([true, false, false, true]);
    expect(await other.find(digestOf(2))).toMatchObject({
      asked: { instance: 'gw1', jid: jidOf(2) },
      granted: undefined,
    });
    expect(await other.byPlace(digestOf(2))).toBeUndefined();
  });

  it('since an open job of one bucket on, has ended jobs of which it is known what was granted', async () => {
    await cache.begin();
    for (const n of [1, 2, 3, 4, 5]) await begin(n);
    await cache.create(anAsked(7), digestOf(7));
    await lookTwice((place) => place === digestOf(1));
    const granted = (await other.leftBy('gw1')).map(({ place, isGranted }) => [place, isGranted]);
    expect(granted).toEqual([...[1, 3, 5].map((n) => [digestOf(n), true]), [digestOf(7), false]]);
  });

  it.each([10, 3700])('of %i seconds is told from what nobody knows the grant of', async (seconds) => {
    const jidAt = (n: number) => parseJid(`20261120${String(100_000 + n)}000000`)!;
    await cache.begin();
    const numbers = Array.from({ length: seconds }, (_, n) => n + 1);
    await Promise.all(numbers.map((n) => begin(n, digestOf(n), { jid: jidAt(n) })));
    await cache.create(anAsked(0, { jid: jidAt(0) }), digestOf(0));
    const left = await other.leftBy('gw1');
    expect(left.map(({ isGranted }) => isGranted)).toEqual([false, ...numbers.map(() => true)]);
  });

  it('is nothing when it is not known', async () => {
    expect(await other.leftBy('gw9')).toEqual([]);
  });
});

it.each([1, 30, 60, 300])(
  'who mints the jids of a minute is remembered for longer than two clocks may differ that are %i s off',
  (skew) => {
    expect(takenMs(skew * 1000)).toBeGreaterThanOrEqual(4 * skew * 1000 + 120_000);
  },
);

describe('a job', () => {
  it('is in one of two buckets, by its request', async () => {
    for (const n of [1, 2, 3, 4]) await begin(n);
    expect(await keysIn(store, 'j.*')).toEqual([2, 4].map((n) => `j.${digestOf(n)}`));
    expect(await keysIn(odd, 'j.*')).toEqual([1, 3].map((n) => `j.${digestOf(n)}`));
  });

  it('is found by its request and by its jid, also by another gateway', async () => {
    await begin(1);
    expect(await other.byPlace(digestOf(1))).toEqual(aRecord(1));
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));
    expect(await other.byJid(jidOf(2))).toBeUndefined();
    expect(await other.byPlace(digestOf(2))).toBeUndefined();
  });

  it('is found at once by its own gateway, and by another while it is so young that its grant may be on its way', async () => {
    now = Date.UTC(2026, 10, 20, 14, 16, 46, 500);
    await cache.create(anAsked(1), digestOf(1));
    const looked = other.byJid(jidOf(1));
    void cache.keepGrant(aRecord(1), digestOf(1));
    expect(await cache.byJid(jidOf(1))).toEqual(aRecord(1));
    expect(await looked).toEqual(aRecord(1));
  });

  it('is granted once that is written, which is tried until it is; and before its gateway ends', async () => {
    class Refusing extends MemoryStore {
      left = 1;
      override put(key: string, value: Uint8Array): Promise<number> {
        if (!key.startsWith('g.') || this.left <= 0) return super.put(key, value);
        this.left -= 1;
        return Promise.reject(new Error('no disk'));
      }
    }
    store = new Refusing('jobs');
    [cache, other] = [aCache('gw1'), aCache('gw2')];
    await begin(1);
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));
    await cache.create(anAsked(2), digestOf(2));
    void cache.keepGrant(aRecord(2), digestOf(2));
    await cache.close();
    expect(await other.byJid(jidOf(2))).toEqual(aRecord(2));
  });

  it('of a request that has one already is that one', async () => {
    await begin(1);
    expect(await other.create(anAsked(2), digestOf(1))).toEqual({ type: 'exists' });
    expect((await other.byPlace(digestOf(1)))?.jid).toBe(jidOf(1));
    expect(await keys()).toEqual([`j.${digestOf(1)}`]);
  });

  it('is made once by many gateways at the same time', async () => {
    const creations = await Promise.all(
      [cache, other, cache, other].map((one, n) => one.create(anAsked(n + 1), digestOf(1))),
    );
    expect(creations.filter(({ type }) => type === 'created')).toHaveLength(1);
  });

  async function revisionOf(creating: ReturnType<JobCache['create']>): Promise<number> {
    const creation = await creating;
    if (creation.type !== 'created') throw new Error('it exists');
    return creation.revision;
  }

  it.each(['gw1', 'gw2'])('that is not granted is gone, unless %s has made it its own since then', async (by) => {
    const mover = by === 'gw1' ? cache : other;
    await cache.begin();
    const revisions = [
      await revisionOf(cache.create(anAsked(1), digestOf(1))),
      await revisionOf(cache.create(anAsked(2), digestOf(2))),
    ];
    expect(await mover.move((await mover.find(digestOf(2)))!, digestOf(2))).toBe(true);
    const gone = revisions.map((revision, at) => cache.drop(digestOf(at + 1), revision));
    expect(await Promise.all(gone)).toEqual([true, false]);
    expect([await other.find(digestOf(1)), (await other.find(digestOf(2)))?.asked.instance]).toEqual([undefined, by]);
    await cache.tellOldest((place) => place === digestOf(2));
    expect((await other.leftBy('gw1')).map(({ place }) => place)).toEqual(by === 'gw1' ? [digestOf(2)] : []);
    // The request may come again.
    expect(await cache.create(anAsked(3), digestOf(1))).toMatchObject({ type: 'created' });
  });

  it('that is not granted goes when the broker takes it again', async () => {
    const revision = await revisionOf(cache.create(anAsked(1), digestOf(1)));
    const remove = odd.delete.bind(odd);
    let refusals = 1;
    odd.delete = (...key) => (refusals-- > 0 ? Promise.reject(new Error('timeout')) : remove(...key));
    expect(await cache.drop(digestOf(1), revision)).toBe(true);
    expect(await other.find(digestOf(1))).toBeUndefined();
  });

  it('has its grant written at once where that is wanted, or it is told that it could not be', async () => {
    await cache.create(anAsked(1), digestOf(1));
    await cache.keepGrant(aRecord(1), digestOf(1), 'now');
    expect(await other.byJid(jidOf(1))).toEqual(aRecord(1));
    await cache.create(anAsked(2), digestOf(2));
    store.put = () => Promise.reject(new Error('no disk'));
    await expect(cache.keepGrant(aRecord(2), digestOf(2), 'now')).rejects.toThrow('no disk');
  });

  it('is listed also by a gateway that did not begin it, while its grant is on its way', async () => {
    now = Date.UTC(2026, 10, 20, 14, 16, 46, 500);
    await begin(1);
    await cache.create(anAsked(2), digestOf(2));
    const listing = listed(other);
    void cache.keepGrant(aRecord(2), digestOf(2));
    expect(await listing).toEqual([2, 1].map(jidOf));
  });

  it('is listed with the others, newest first, once it is granted', async () => {
    for (const n of [3, 1, 2]) await begin(n);
    await cache.create(anAsked(4), digestOf(4));
    expect(await listed(other)).toEqual([3, 2, 1].map(jidOf));
  });

  it('is read where it is wanted, and what was granted of it where that is asked for', async () => {
    for (const n of [1, 2, 3]) await begin(n, digestOf(n), { jid: parseJid(`2026112014164${n}000000`)! });
    const asked = [store, odd].map((of) => jest.spyOn(of, 'each'));
    const granted = jest.spyOn(store, 'list');
    const { jobs: wanted } = await other.asked(({ jid }) => jid === '20261120141642000000');
    expect(wanted).toMatchObject([{ request: Uint8Array.of(2) }]);
    expect(await other.callersOf(wanted.map(({ jid }) => jid))).toEqual(
      new Map([['20261120141642000000', aRecord(2).caller]]),
    );
    expect(asked.map(({ mock }) => mock.calls)).toEqual([[['j.*', 1]], [['j.*', 1]]]);
    expect(granted.mock.calls).toEqual([['g.20261120141642.*']]);
  });
});

describe('jobs, of which very many are kept,', () => {
  const MANY = 4000;
  /** So many seconds apart, and with so much asked that a slice has less than a thousand. */
  const change = (n: number) => ({
    jid: parseJid(`20261120${String(100_000 + n)}000000`)!,
    request: new Uint8Array(64),
  });
  beforeEach(() => Promise.all(Array.from({ length: MANY }, (_, n) => begin(n, digestOf(n), change(n)))));

  it('are read in slices, between which the gateway answers others', async () => {
    expect(await turnsDuring(() => other.asked(() => false))).toBeGreaterThanOrEqual(4);
  });

  it('are looked up in slices for who asked for them, in one reading of all, which is not held', async () => {
    const { jobs, looked } = await other.asked(() => true);
    const [held, read, some] = [jest.spyOn(store, 'list'), jest.spyOn(store, 'each'), jest.spyOn(store, 'eachAny')];
    let callers: ReadonlyMap<string, unknown> = new Map();
    const jids = jobs.map(({ jid }) => jid);
    const turns = await turnsDuring(async () => (callers = await other.callersOf(jids, looked)));
    expect([turns >= 8, callers.size, held.mock.calls, read.mock.calls]).toEqual([true, MANY, [], [['g.*.*']]]);
    expect((await other.callersOf(jids.slice(0, 2000), looked)).size).toBe(2000);
    expect([read.mock.calls.length, some.mock.calls.length]).toEqual([2, 0]);
  });

  it('are looked up in parts of which two are under way, where a few of them are wanted', async () => {
    const { jobs, looked } = await other.asked(() => true);
    const [parts, read] = [new Parts(store), jest.spyOn(store, 'each')];
    const callers = await other.callersOf(
      jobs.slice(0, 200).map(({ jid }) => jid),
      looked,
    );
    expect([callers.size, parts.begun, parts.most, read.mock.calls]).toEqual([200, [64, 64, 64, 8], 2, []]);
  });
});

/** How a store is read by many patterns. */
class Parts {
  readonly begun: number[] = [];
  most = 0;

  constructor(of: MemoryStore) {
    let underWay = 0;
    const eachAny = of.eachAny.bind(of);
    of.eachAny = async function* (this: Parts, patterns: readonly string[]) {
      this.begun.push(patterns.length);
      this.most = Math.max(this.most, (underWay += 1));
      await new Promise(setImmediate);
      yield* eachAny(patterns);
      underWay -= 1;
    }.bind(this);
  }
}

it('jobs of many seconds cost a few readings, whoever asked for them, and those of a few seconds one for each', async () => {
  const SECONDS = 100;
  const at = (second: number) =>
    parseJid(`20261120${String(140_000 + Math.floor(second / 60) * 100 + (second % 60))}000000`)!;
  for (let n = 0; n < SECONDS; n += 1) await begin(n, digestOf(n), { jid: at(n) });
  const jids = (await other.asked(() => true)).jobs.map(({ jid }) => jid);
  const [one, parts] = [jest.spyOn(store, 'list'), new Parts(store)];
  expect([(await other.callersOf(jids)).size, one.mock.calls.length, parts.begun]).toEqual([SECONDS, 0, [64, 36]]);
  expect((await other.callersOf(jids.slice(0, 3))).size).toBe(3);
  expect([one.mock.calls.length, parts.begun.length]).toEqual([3, 2]);
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

    /** What is updated comes into effect, and is acknowledged only when that is called. */
    holdsUpdates(): () => void {
      let acknowledge = () => {};
      const told = new Promise<void>((resolve) => (acknowledge = resolve));
      const update = this.update.bind(this);
      this.update = (...change) => update(...change).then((revision) => told.then(() => revision));
      return () => {
        acknowledge();
      };
    }
  }

  let late: LateStore;
  beforeEach(() => {
    late = new LateStore('jobs');
    odd = late;
    [cache, other] = [aCache('gw1'), aCache('gw2')];
  });

  it('is taken back when its write comes into effect after all', async () => {
    await expect(cache.create(anAsked(1), digestOf(1))).rejects.toThrow('no acknowledgement');
    await late.comesBack();
    expect(await other.find(digestOf(1))).toMatchObject({ asked: { instance: 'gw1' } });
    await until('it is gone', async () => (await other.find(digestOf(1))) === undefined);
  });

  it('stays when its caller has asked another gateway meanwhile', async () => {
    await expect(cache.create(anAsked(1), digestOf(1))).rejects.toThrow('no acknowledgement');
    late.away = false;
    expect(await other.create(anAsked(2, { instance: 'gw2' }), digestOf(1))).toMatchObject({ type: 'created' });
    await late.comesBack();
    await looked();
    expect(await other.find(digestOf(1))).toMatchObject({ asked: { instance: 'gw2' } });
  });

  it('stays when its caller has asked the same gateway again, which goes on with it', async () => {
    await expect(cache.create(anAsked(1), digestOf(1))).rejects.toThrow('no acknowledgement');
    await late.comesBack();
    expect(await cache.move((await cache.find(digestOf(1)))!, digestOf(1))).toBe(true);
    await looked();
    expect(await other.find(digestOf(1))).toMatchObject({ asked: { jid: jidOf(1) } });
  });

  it('and has come into effect is not created again while a take-over here goes on with it', async () => {
    const creating = cache.create(anAsked(1), digestOf(1));
    await late.comesBack();
    const written = late.holdsUpdates();
    const taking = cache.move((await cache.find(digestOf(1)))!, digestOf(1));
    expect(await creating).toEqual({ type: 'exists' });
    written();
    expect(await taking).toBe(true);
  });

  it('stays when a take-over here has gone on with it before the last try', async () => {
    const creating = cache.create(anAsked(1), digestOf(1));
    await late.comesBack();
    expect(await cache.move((await cache.find(digestOf(1)))!, digestOf(1))).toBe(true);
    const moved = await other.find(digestOf(1));
    late.away = true;
    expect(await creating).toEqual({ type: 'exists' });
    await looked();
    expect(await other.find(digestOf(1))).toEqual(moved);
  });

  /** Another one that was written late is gone, so that this one was looked at too. */
  async function looked(): Promise<void> {
    late.away = true;
    await expect(cache.create(anAsked(9), digestOf(9))).rejects.toThrow('no acknowledgement');
    await late.comesBack();
    await until('another is gone', async () => (await other.find(digestOf(9))) === undefined);
  }
});

describe('what is kept of jobs that a gateway has left', () => {
  it('is told second by second: the jobs that are granted, and their returns with who has stored them, but not one’s own', async () => {
    const later = parseJid('20261120141647000001')!;
    const third = new JobCache([store], { instance: 'gw3', now: () => NOW });
    await cache.begin();
    for (const n of [1, 2]) await begin(n);
    await begin(4, digestOf(4), { jid: later });
    await cache.create(anAsked(3), digestOf(3));
    await cache.storeReturn(aReturn(1, 'web1'));
    await other.storeReturn(aReturn(1, 'web2'));
    await other.storeLate(aReturn(2, 'web3'), 'key');
    await third.storeReturn(aReturn(1, 'web5'));
    await cache.storeReturn(aReturn(5, 'web4')); // of a job that is not among them
    const told: unknown[] = [];
    for await (const { jobs, returns } of other.secondsLeft(await other.leftBy('gw1')))
      told.push([jobs.map(({ jid }) => jid), returns.map(({ record, stored, by }) => [record.jid, stored.id, by])]);
    expect(told).toEqual([
      [
        [jidOf(1), jidOf(2)],
        [
          [jidOf(1), 'web1', 'gw1'],
          [jidOf(2), 'web3', undefined],
          [jidOf(1), 'web5', 'gw3'],
        ],
      ],
      [[later], []],
    ]);
  });
});

describe('returns', () => {
  it('are found by their job, whichever gateway stored them', async () => {
    await Promise.all([cache.storeReturn(aReturn(1, 'web1')), other.storeReturn(aReturn(1, 'web2'))]);
    await cache.storeReturn(aReturn(2, 'db1'));
    expect((await cache.returnsOf(aRecord(1))).map(({ id }) => id).sort()).toEqual(['web1', 'web2']);
    expect((await cache.returnsOf(aRecord(2))).map(({ id }) => id)).toEqual(['db1']);
    expect(await cache.returnsOf(aRecord(3))).toEqual([]);
  });

  it('of a run are found by its jid, and make it no job in the lists of jobs', async () => {
    await cache.storeLate(aReturn(1, 'host_master'), 'end');
    expect(await other.returnsOf({ jid: jidOf(1) })).toHaveLength(1);
    expect(await listed(other)).toEqual([]);
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
    store = new Counting('jobs');
    cache = aCache('gw1');
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
    store = new Refusing('jobs');
    cache = aCache('gw1');
    const ids = Array.from({ length: 300 }, (_, n) => `web${String(n)}`);
    const ends = await Promise.allSettled(ids.map((id) => cache.storeLate(aReturn(1, id), id)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
  });
});
