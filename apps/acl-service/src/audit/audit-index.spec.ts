/** Rules of reading the audit: everything that is there comes once and in order, and a long audit takes no more memory than a short one. */
import { MemoryStore, SealedStore, type Store } from '@natrium/bus';
import { encode, randomBytes, readAudit, sodiumReady } from '@natrium/envelope';
import { FakeClock } from '@natrium/testing';
import { AuditIndex, type AuditGroup } from './audit-index.js';
import { AuditLog } from './audit-log.js';

const NOW = 1_795_000_000_000;
const MAX_LAST = 1000;
const PAGE_PLACES = 2048;

let store: MemoryStore;
beforeAll(sodiumReady);
beforeEach(() => {
  store = new MemoryStore('audit');
});

/** One that writes a group of `count` records at a time, which does not grow unless it is told so. */
function aWriter(chain: string, into: Store = store, growsMs = 0) {
  const log = new AuditLog(into, {
    instance: chain,
    heads: [],
    now: new FakeClock(NOW).now,
    windowMs: 1,
    growsMs,
    onFailure: (cause) => {
      throw cause;
    },
    onRecovered: () => undefined,
  });
  return async (count: number, text = '') => {
    const detail = { text };
    for (let n = 0; n < count; n += 1) log.note({ what: 'policy', verdict: 'in_force', rule: null, detail });
    await log.settled();
  };
}

/** Groups that nobody verifies, as fast as they can be put. */
async function putGroups(count: number, chain = 'long', from = 0): Promise<void> {
  for (let n = from; n < from + count; n += 1) await store.put(`a.${chain}.${String(n)}`, encode([new Uint8Array(1)]));
}

/** As somebody reads who wants all of it. */
async function readAll(index: AuditIndex, limit: number, chain?: string) {
  const pages: (readonly AuditGroup[])[] = [];
  for (let from = 0; ;) {
    const page = await index.page({ from, limit, ...(chain === undefined ? {} : { chain }) });
    pages.push(page.groups);
    if (page.isLast) return pages;
    expect(page.next).toBeGreaterThan(from);
    from = page.next;
  }
}

const numbersIn = (groups: readonly AuditGroup[]) =>
  groups.flatMap(({ records }) => records.map((bytes) => readAudit(bytes))).map((read) => read.ok && read.value.number);
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n);

describe('the memory that it takes', () => {
  it('is that of its chains and of a bounded number of groups, however long the audit is', async () => {
    const index = await AuditIndex.open(store);
    await aWriter('acl1')(1);
    await putGroups(2 * MAX_LAST);
    const size = index.size;
    await putGroups(3 * MAX_LAST, 'long', 2 * MAX_LAST);
    expect(index.size).toBe(size);
    expect(size).toBeLessThanOrEqual(MAX_LAST + 2);
    expect((await AuditIndex.open(store)).size).toBeLessThanOrEqual(MAX_LAST + 2);
    expect((await readAll(index, 1000)).flat()).toHaveLength(5 * MAX_LAST + 1);
  });
});

describe('reading page by page', () => {
  it('gives every record once and in order, over what was replaced and deleted', async () => {
    const index = await AuditIndex.open(store);
    const write = aWriter('acl1');
    for (let n = 0; n < 70; n += 1) await write(1 + (n % 3));
    const [first] = await store.list('a.acl1.0');
    await store.delete('a.acl1.7');
    await store.put('a.acl1.0', first!.value);
    const all = (await readAll(index, 10)).flat();
    const gone = new Set([7, 8]);
    expect(numbersIn(all)).toEqual([...upTo(138, 1).filter((number) => !gone.has(number)), 0]);
  });

  it('gives at most the records that are asked for, but a whole group at least', async () => {
    const index = await AuditIndex.open(store);
    const write = aWriter('acl1');
    for (let n = 0; n < 40; n += 1) await write(3);
    const pages = await readAll(index, 6);
    expect(pages.map((groups) => numbersIn(groups).length)).toEqual(Array.from({ length: 20 }, () => 6));
    const one = await index.page({ from: 0, limit: 1 });
    expect([numbersIn(one.groups), one.isLast]).toEqual([[0, 1, 2], false]);
  });

  it('ends a page after a mebibyte: what comes next is in the next one', async () => {
    const index = await AuditIndex.open(store);
    const write = aWriter('acl1');
    for (let n = 0; n < 12; n += 1) await write(100, 'x'.repeat(3000));
    const sizes = (await readAll(index, 100_000)).map((groups) => groups.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(12);
  });

  it('puts no other group beside one that is larger than a page', async () => {
    const index = await AuditIndex.open(store);
    for (const [n, size] of [1, 3 << 20, 1, 1].entries())
      await store.put(`a.acl1.${String(n)}`, encode([new Uint8Array(size)]));
    const pages = await readAll(index, 1000);
    expect(pages.map((groups) => groups.map(({ first }) => first))).toEqual([[0], [1], [2, 3]]);
  });

  it('gives one chain of many, and no page looks at more than a bounded part of the others', async () => {
    const index = await AuditIndex.open(store);
    await putGroups(2 * PAGE_PLACES + 10);
    await aWriter('acl1')(2);
    const pages = await readAll(index, 1000, 'acl1');
    expect(pages.map((groups) => numbersIn(groups))).toEqual([[], [], [0, 1]]);
    expect((await readAll(index, 1000, 'none')).flat()).toEqual([]);
  });

  it('passes over what does not open, and gives all that comes after', async () => {
    const key = { id: 'k', key: randomBytes(32) };
    const sealed = new SealedStore(
      store,
      { newest: key, byId: (id) => (id === 'k' ? key : undefined) },
      () => undefined,
    );
    const index = await AuditIndex.open(sealed);
    const write = aWriter('acl1', sealed);
    for (let n = 0; n < 3; n += 1) await write(1);
    for (let n = 0; n < 100; n += 1) await store.put(`a.acl1.${String(1000 + n)}`, randomBytes(64));
    await write(1);
    expect(numbersIn((await readAll(index, 1000)).flat())).toEqual([0, 1, 2, 3]);
  });

  it('gives all in order also where a storage key came late, and knows the last ones', async () => {
    const [old, next] = ['old', 'next'].map((id) => ({ id, key: randomBytes(32) }));
    const known = [old!];
    const storage = { newest: old!, byId: (id: string) => known.find((key) => key.id === id) };
    const sealed = new SealedStore(store, storage, () => undefined);
    const index = await AuditIndex.open(sealed);
    const other = new SealedStore(store, { newest: next!, byId: () => next }, () => undefined);
    await aWriter('acl1', other)(2);
    await aWriter('acl2', sealed)(1);
    await aWriter('acl3', sealed)(1);
    known.push(next!);
    await sealed.readMissed();
    const chains = (groups: readonly AuditGroup[]) => groups.map(({ chain }) => chain);
    expect(chains((await readAll(index, 10)).flat())).toEqual(['acl1', 'acl2', 'acl3']);
    expect(chains((await index.page({ from: await index.fromLast(2), limit: 10 })).groups)).toEqual(['acl2', 'acl3']);
    expect((await index.ends()).map(({ chain }) => chain).sort()).toEqual(['acl1', 'acl2', 'acl3']);
  });

  it('is not at its end when the last group has grown while it was read', async () => {
    const index = await AuditIndex.open(store);
    const write = aWriter('acl1', store, 60_000);
    await write(1);
    const at = store.at.bind(store);
    store.at = async (revision) => {
      store.at = at;
      await write(1);
      return at(revision);
    };
    const page = await index.page({ from: 0, limit: 10 });
    expect([numbersIn(page.groups), page.isLast]).toEqual([[], false]);
    expect(numbersIn((await readAll(index, 10)).flat())).toEqual([0, 1]);
  });

  it('has what its follower has not heard of yet, also of a group that was replaced', async () => {
    const follow = store.follow.bind(store);
    store.follow = (_, since) => follow(() => undefined, since);
    const write = aWriter('acl1', store, 60_000);
    await write(1);
    const index = await AuditIndex.open(store);
    await write(1);
    const page = await index.page({ from: 0, limit: 10 });
    expect([numbersIn(page.groups), page.isLast]).toEqual([[0, 1], true]);
  });

  it('says where one goes on who has seen more than it has', async () => {
    const index = await AuditIndex.open(store);
    await aWriter('acl1')(1);
    expect(await index.page({ from: 9, limit: 10 })).toEqual({ groups: [], next: 9, isLast: true });
  });
});

describe('the last records', () => {
  it('are found whatever their groups hold', async () => {
    const index = await AuditIndex.open(store);
    const write = aWriter('acl1');
    for (let n = 0; n < 30; n += 1) await write(1 + (n % 4));
    const last = async (count: number) =>
      numbersIn((await index.page({ from: await index.fromLast(count), limit: 1000 })).groups);
    expect(await last(0)).toEqual([]);
    expect(await last(1)).toEqual([71, 72]);
    expect(await last(3)).toEqual([70, 71, 72]);
    expect(await last(4)).toEqual(upTo(7, 66));
    expect(await last(5000)).toEqual(upTo(73));
  });

  it('are found in groups that have grown since, each once', async () => {
    const index = await AuditIndex.open(store);
    await aWriter('acl1')(2);
    const write = aWriter('acl2', store, 60_000);
    for (let n = 0; n < 5; n += 1) await write(2);
    const last = async (count: number) => (await index.page({ from: await index.fromLast(count), limit: 1000 })).groups;
    expect((await last(10)).map(({ chain }) => chain)).toEqual(['acl2']);
    expect((await last(11)).map((group) => [group.chain, numbersIn([group])])).toEqual([
      ['acl1', upTo(2)],
      ['acl2', upTo(10)],
    ]);
  });

  it('are at most a bounded number', async () => {
    const index = await AuditIndex.open(store);
    await putGroups(MAX_LAST + 50);
    expect(await index.fromLast(MAX_LAST + 40)).toBe(50);
  });
});

it('wakes whoever waits when something has come, and nobody before', async () => {
  const index = await AuditIndex.open(store);
  const write = aWriter('acl1');
  await write(1);
  await index.later(0, 60_000);
  const waiting = index.later(1, 60_000);
  await write(1);
  await waiting;
  expect(await index.fromLast(1)).toBe(1);
});
