/** Rules of what a store of very many jobs is read for: the latest are found among what was written last, and none is missed by that. */
import { jest } from '@jest/globals';
import { type Entry, MemoryStore } from '@natrium/bus';
import { encodeRequest } from '@natrium/envelope';
import type { EventFeed, Heard } from '@natrium/events';
import { type Jid, jidOf, type Value } from '@natrium/model';
import { aRequest, turnsDuring } from '@natrium/testing';
import { HttpFeed } from '../http/http-feed.js';
import { askedOf, recordOf as aRecordOf } from './a-record.spec-support.js';
import { JobCache } from './job-cache.js';
import { JobReads, type JobReadPorts } from './job-reads.js';

const BEGIN = Date.UTC(2026, 10, 20, 9);
const jidAt = (second: number) => jidOf((BEGIN + second * 1000) * 1000);
const placeOf = (n: number) => n.toString(16).padStart(64, '0');

/** Counts what is read of it. */
class ReadStore extends MemoryStore {
  read = 0;

  override async list(pattern: string, since?: number): Promise<readonly Entry[]> {
    const all = await super.list(pattern, since);
    this.read += all.length;
    return all;
  }

  override async *each(pattern: string, since?: number): AsyncGenerator<Entry> {
    for await (const entry of super.each(pattern, since)) {
      this.read += 1;
      yield entry;
    }
  }

  override async *eachAny(patterns: readonly string[]): AsyncGenerator<Entry> {
    for await (const entry of super.eachAny(patterns)) {
      this.read += 1;
      yield entry;
    }
  }
}

let stores: readonly [ReadStore, ReadStore];
let now: number;
/** Which has written the jobs, and which is asked. */
let [writer, reader]: JobCache[] = [];
/** How often a job was waited for, and what happens meanwhile; the test may end it. */
let waits: number;
let whileWaiting: (end: () => void) => void;
let reads: JobReads;

beforeEach(() => {
  stores = [new ReadStore('jobs'), new ReadStore('jobs2')];
  now = BEGIN;
  waits = 0;
  whileWaiting = () => undefined;
  const cacheOf = (instance: string) => new JobCache(stores, { instance, now: () => now });
  [writer, reader] = [cacheOf('gw1'), cacheOf('gw2')];
  const deadline = () => {
    waits += 1;
    const waiting = new AbortController();
    // Once it is waited for.
    setImmediate(() => {
      whileWaiting(() => {
        waiting.abort();
      });
    });
    return waiting.signal;
  };
  const ports = { cache: reader, clock: { now: () => now, skewMs: 30_000 }, deadline };
  reads = new JobReads(ports as unknown as JobReadPorts);
});

const recordOf = (jid: Jid, fun = 'test.ping') =>
  aRecordOf(jid, { request: encodeRequest(aRequest(BEGIN, { funs: [fun] })) });

async function begin(n: number, jid: Jid, fun?: string): Promise<void> {
  const record = recordOf(jid, fun);
  await writer!.create(askedOf(record), placeOf(n));
  await writer!.keepGrant(record, placeOf(n), 'now');
}

/** A job each second, the last of them a while ago. */
async function beginMany(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await begin(n, jidAt(n));
  now = BEGIN + (count + 200) * 1000;
  for (const store of stores) store.read = 0;
}

const told = async (wanted: Value) => ((await reads.list(wanted)) as readonly { jid: string }[]).map(({ jid }) => jid);
const readOf = () => stores[0].read + stores[1].read;

describe('of many jobs', () => {
  const MANY = 3000;
  beforeEach(() => beginMany(MANY));

  it('the latest are told without reading all', async () => {
    expect(await told({ latest: 1 })).toEqual([jidAt(MANY - 1)]);
    expect(await told({ latest: 3 })).toEqual([MANY - 3, MANY - 2, MANY - 1].map(jidAt));
    expect(readOf()).toBeLessThan(MANY / 2);
  });

  it('all are told, in their order, each grant read once', async () => {
    expect(await told(null)).toEqual(Array.from({ length: MANY }, (_, n) => jidAt(n)));
    expect(readOf()).toBe(2 * MANY);
  });

  it('where none is wanted, little more than all is read', async () => {
    expect(await told({ latest: 1, functions: ['none'] })).toEqual([]);
    expect(readOf()).toBeLessThan(1.3 * MANY);
  });

  it('none but the wanted are held, however many are read, and others are answered meanwhile', async () => {
    await begin(MANY, jidAt(5.5), 'cmd.run');
    const asked = jest.spyOn(reader!, 'asked');
    for (const wanted of [
      { latest: 1, functions: ['cmd.*'] },
      { functions: ['cmd.*'], to: jidAt(MANY) },
    ]) {
      expect(await told(wanted)).toEqual([jidAt(5.5)]);
    }
    expect(await turnsDuring(() => told({ latest: 1, functions: ['none'] }))).toBeGreaterThanOrEqual(3);
    const held = await Promise.all(asked.mock.results.map(({ value }) => value as ReturnType<JobCache['asked']>));
    expect(held.every(({ jobs }) => jobs.length <= 1)).toBe(true);
    expect(held.at(-1)?.looked).toBe(MANY + 1);
  });

  it('the latest is told that was written long before others, by a gateway whose clock is ahead or that has lost its jobs', async () => {
    await begin(MANY, jidAt(MANY + 10));
    for (let n = 1; n <= 600; n += 1) await begin(MANY + n, jidAt(MANY - 100), 'pkg.version');
    expect(await told({ latest: 1 })).toEqual([jidAt(MANY + 10)]);
    expect(await told({ latest: 1, functions: ['test.*'] })).toEqual([jidAt(MANY + 10)]);
  });

  it('the latest that is wanted is told, however long ago it was, and none where there is none', async () => {
    await begin(MANY, jidAt(5.5), 'cmd.run');
    for (let n = 1; n <= 600; n += 1) await begin(MANY + n, jidAt(MANY + n));
    expect(await told({ latest: 1, functions: ['cmd.*'] })).toEqual([jidAt(5.5)]);
    expect(await told({ latest: 2, to: jidAt(7) })).toEqual([6, 7].map(jidAt));
    expect(await told({ latest: 1, functions: ['none'] })).toEqual([]);
  });
});

describe('a job that was asked for and is not decided yet', () => {
  const JID = jidAt(0);
  beforeEach(async () => {
    await writer!.begin();
    await writer!.create(askedOf(recordOf(JID)), placeOf(1));
    now = BEGIN + 5000;
  });

  it('is waited for, and told once its grant is written', async () => {
    whileWaiting = () => void writer!.keepGrant(recordOf(JID), placeOf(1), 'now');
    expect(await reads.lookUp(JID)).toMatchObject({ ok: true, value: { jid: JID, Minions: ['web1'] } });
    expect(waits).toBe(1);
  });

  it('is said to be not decided when that lasts, and not that there is none', async () => {
    whileWaiting = (end) => {
      end();
    };
    expect(await reads.lookUp({ jid: JID })).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
    expect(waits).toBe(1);
  });

  it('is none once it was refused, or when its time is long over', async () => {
    whileWaiting = () => void stores[1].delete(`j.${placeOf(1)}`);
    expect(await reads.lookUp(JID)).toEqual({ ok: true, value: null });
    expect(waits).toBe(1);
    await writer!.create(askedOf(recordOf(JID)), placeOf(3));
    now = BEGIN + 3_600_000;
    expect(await reads.lookUp(JID)).toEqual({ ok: true, value: null });
    expect(waits).toBe(1);
  });

  it('has an owner whom nobody can tell yet, then the one who was granted it; when its time is long over, none', async () => {
    await expect(reads.ownerOf(JID)).rejects.toThrow('what was decided on it cannot be read yet');
    await writer!.keepGrant(recordOf(JID), placeOf(1), 'now');
    expect(await reads.ownerOf(JID)).toEqual(recordOf(JID).caller);
    await stores[0].delete((await stores[0].keyNames('g.*.*'))[0]!);
    now = BEGIN + 3_600_000;
    expect(await reads.ownerOf(JID)).toBeUndefined();
  });

  it('is told to its owner who listens here from the first event on that comes when its grant is written', async () => {
    const heard = (n: number): Heard => ({
      ...{
        cursor: String(n),
        tag: `salt/job/${JID}/ret/web${String(n)}`,
        data: {},
        stamp: '',
        id: `gw-1.${String(n)}`,
      },
      origin: { kind: 'service', name: 'gateway' },
    });
    const left = [() => Promise.resolve(), () => writer!.keepGrant(recordOf(JID), placeOf(1), 'now')].entries();
    const take = async () => {
      const { value: [n, before] = [] } = left.next();
      await before?.();
      return n === undefined ? undefined : [heard(n)];
    };
    const feed = { subscribe: () => ({ take, close: () => undefined }) } as unknown as EventFeed;
    const owners: unknown[] = [];
    for await (const { owner } of new HttpFeed(feed, (jid) => reads.ownerOf(jid)).subscribe({})) owners.push(owner);
    expect(owners).toEqual([undefined, recordOf(JID).caller]);
  });
});

it('a jid of no job is looked for among the latest alone, however long ago one was begun that goes on', async () => {
  await writer!.begin();
  await writer!.create(askedOf(recordOf(jidAt(0))), placeOf(9999));
  await beginMany(2500);
  now = BEGIN + 2_500_000;
  expect(await reads.lookUp(jidAt(2490.5))).toEqual({ ok: true, value: null });
  expect(readOf()).toBeLessThan(2200);
});

it('a jid that no gateway has minted is not waited for', async () => {
  await writer!.begin();
  await begin(1, jidAt(0));
  now = BEGIN + 5000;
  expect(await reads.lookUp(jidAt(1))).toEqual({ ok: true, value: null });
  expect([await reads.lookUp('nonsense'), waits]).toEqual([{ ok: true, value: null }, 0]);
});
