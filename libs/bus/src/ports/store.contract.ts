/** What every store keeps to, the one in memory and the JetStream bucket alike; each runs it in a spec of its own. */
import { allOf } from './all-of.js';
import type { Entry, Store } from './store.js';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const textOf = (value: Uint8Array | undefined) => (value === undefined ? undefined : Buffer.from(value).toString());

type Change = readonly [string, string | undefined];

/** What a follower hears, in order. */
class Follower {
  readonly changes: Change[] = [];
  #wake: () => void = () => undefined;

  readonly hear = (entry: Entry | { readonly key: string; readonly value: undefined }): void => {
    this.changes.push([entry.key, textOf(entry.value)]);
    this.#wake();
  };

  async atLeast(count: number): Promise<readonly Change[]> {
    while (this.changes.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.changes;
  }
}

/** @param open Gives a fresh, empty store with each call, and a second view of the same. */
export function storeContract(name: string, open: () => Promise<readonly [Store, Store]>): void {
  describe(`a store: ${name}`, () => {
    let store: Store;
    let other: Store;
    beforeEach(async () => {
      [store, other] = await open();
    });

    it('gives back what was put, with its revision', async () => {
      const revision = await store.put('a', bytes('one'));
      const entry = await other.get('a');
      expect([entry?.key, textOf(entry?.value), entry?.revision]).toEqual(['a', 'one', revision]);
    });

    it('gives back what a revision wrote, as long as nothing took its place', async () => {
      const first = await store.put('a', bytes('one'));
      const second = await store.put('a', bytes('two'));
      const third = await store.put('b.1', bytes('three'));
      expect(await other.at(first)).toBeUndefined();
      const entry = await other.at(second);
      expect([entry?.key, textOf(entry?.value), entry?.revision]).toEqual(['a', 'two', second]);
      expect((await other.at(third))?.key).toBe('b.1');
      await store.delete('b.1');
      expect(await other.at(third)).toBeUndefined();
    });

    it('has nothing at a deletion, nor at what was not written yet', async () => {
      const revision = await store.put('a', bytes('one'));
      await store.delete('a');
      const next = await store.put('b', bytes('two'));
      for (let between = revision + 1; between < next; between += 1) expect(await other.at(between)).toBeUndefined();
      expect(await other.at(next + 1)).toBeUndefined();
      expect(await other.at(0)).toBeUndefined();
    });

    it('reads from a revision on, without what is older or deleted', async () => {
      await store.put('d.1', bytes('one'));
      const since = await store.put('d.2', bytes('two'));
      for (const key of ['d.3', 'e.1', 'd.4']) await store.put(key, bytes(key));
      await store.delete('d.3');
      expect((await other.list('d.*', since)).map(({ key }) => key)).toEqual(['d.2', 'd.4']);
      expect(await other.list('x.*', since)).toEqual([]);
    });

    it('has nothing under a key that was never written', async () => {
      expect(await store.get('none')).toBeUndefined();
    });

    it('keeps any bytes, also none and many', async () => {
      const every = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256);
      await store.put('every', every);
      await store.put('none', new Uint8Array());
      expect(Uint8Array.from((await other.get('every'))?.value ?? [])).toEqual(every);
      expect((await other.get('none'))?.value.length).toBe(0);
    });

    it('creates a key once: of many at the same time, one', async () => {
      const writers = [store, other, store, other, store].map((one, n) => one.create('a', bytes(`${n}`)));
      const revisions = await Promise.all(writers);
      const winners = revisions.flatMap((revision, n) => (revision === undefined ? [] : [`${n}`]));
      expect(winners).toHaveLength(1);
      expect(textOf((await store.get('a'))?.value)).toBe(winners[0]);
    });

    it('does not create over a value that was put', async () => {
      await store.put('a', bytes('one'));
      expect(await store.create('a', bytes('two'))).toBeUndefined();
      expect(textOf((await store.get('a'))?.value)).toBe('one');
    });

    it('updates a value once for each revision: of many at the same time, one', async () => {
      const revision = await store.put('a', bytes('old'));
      const writers = [store, other, store].map((one, n) => one.update('a', bytes(`${n}`), revision));
      const winners = (await Promise.all(writers)).flatMap((won, n) => (won === undefined ? [] : [`${n}`]));
      expect(winners).toHaveLength(1);
      expect(textOf((await store.get('a'))?.value)).toBe(winners[0]);
    });

    it('refuses an update of a revision that is gone, and accepts the next', async () => {
      const first = await store.put('a', bytes('one'));
      const second = await store.update('a', bytes('two'), first);
      expect(second).toBeGreaterThan(first);
      expect(await store.update('a', bytes('three'), first)).toBeUndefined();
      expect(await store.update('a', bytes('three'), second!)).toBeGreaterThan(second!);
    });

    it('may create a key again after it was deleted, and forgets its value meanwhile', async () => {
      const revision = await store.put('a', bytes('one'));
      await store.delete('a');
      expect(await other.get('a')).toBeUndefined();
      expect(await store.update('a', bytes('two'), revision)).toBeUndefined();
      expect(await store.create('a', bytes('three'))).toBeGreaterThan(revision);
      expect(textOf((await other.get('a'))?.value)).toBe('three');
    });

    it('deletes only the revision that is named, and leaves what took its place', async () => {
      const first = await store.put('a', bytes('one'));
      const second = await store.put('a', bytes('two'));
      await other.delete('a', first);
      expect(textOf((await store.get('a'))?.value)).toBe('two');
      await other.delete('a', second);
      expect(await store.get('a')).toBeUndefined();
    });

    it('takes the deletion of what is not there', async () => {
      await store.delete('none');
      expect(await store.get('none')).toBeUndefined();
    });

    it('tells a follower all that is there before it resolves, and every change after', async () => {
      await store.put('a', bytes('one'));
      await store.put('b', bytes('two'));
      await store.put('a', bytes('three'));
      const follower = new Follower();
      const following = await other.follow(follower.hear);
      expect([...follower.changes].sort()).toEqual([
        ['a', 'three'],
        ['b', 'two'],
      ]);
      await store.put('c', bytes('four'));
      await store.delete('b');
      expect((await follower.atLeast(4)).slice(2)).toEqual([
        ['c', 'four'],
        ['b', undefined],
      ]);
      following.close();
    });

    it('follows an empty store from its beginning', async () => {
      const follower = new Follower();
      const following = await other.follow(follower.hear);
      expect(follower.changes).toEqual([]);
      await store.create('a', bytes('one'));
      expect(await follower.atLeast(1)).toEqual([['a', 'one']]);
      following.close();
    });

    it('tells no value of what was deleted before', async () => {
      await store.put('a', bytes('one'));
      await store.delete('a');
      await store.put('b', bytes('two'));
      const follower = new Follower();
      const following = await other.follow(follower.hear);
      expect(follower.changes.filter(([, value]) => value !== undefined)).toEqual([['b', 'two']]);
      following.close();
    });

    it('follows whatever one follower does with what it hears', async () => {
      const follower = new Follower();
      const following = await other.follow((entry) => {
        follower.hear(entry);
        if (entry.key === 'bad') throw new Error('a follower that fails');
      });
      await store.put('bad', bytes('x')).catch(() => undefined);
      await store.put('good', bytes('y'));
      expect((await follower.atLeast(2)).map(([key]) => key)).toEqual(['bad', 'good']);
      following.close();
    });

    it('lists what fits a pattern, oldest first, without the deleted', async () => {
      for (const key of ['r.2', 'r.1', 'd.1', 'r.3', 'r.1.x']) await store.put(key, bytes(key));
      await store.put('r.2', bytes('again'));
      await store.delete('r.3');
      const found = (entries: readonly Entry[]) => entries.map(({ key, value }) => [key, textOf(value)]);
      expect(found(await other.list('r.*'))).toEqual([
        ['r.1', 'r.1'],
        ['r.2', 'again'],
      ]);
      expect(found(await other.list('r.>')).map(([key]) => key)).toEqual(['r.1', 'r.1.x', 'r.2']);
      expect(found(await other.list('*.1')).map(([key]) => key)).toEqual(['r.1', 'd.1']);
      expect(await other.list('x.*')).toEqual([]);
    });

    it.each(['elsewhere', 'r.7.b'])(
      'lists what fits any of some patterns, oldest first, with the newest of all at %s',
      async (newest) => {
        for (const key of ['r.1.a', 'r.2.a', 'g.1.a', 'r.3.a', 'r.7.a', 'r.1.b', 'r.7.c'])
          await store.put(key, bytes(key));
        await store.put('r.2.a', bytes('again'));
        await store.delete('r.7.c');
        await store.put(newest, bytes('newest'));
        const found = (await allOf(other.eachAny(['r.2.*', 'r.1.*', 'r.7.*', 'r.9.*']))).map(({ key }) => key);
        expect(found).toEqual(['r.1.a', 'r.7.a', 'r.1.b', 'r.2.a', ...(newest === 'r.7.b' ? ['r.7.b'] : [])]);
        expect(textOf((await allOf(other.eachAny(['r.2.a'])))[0]?.value)).toBe('again');
        expect(await allOf(other.eachAny(['x.*', 'y.*']))).toEqual([]);
        expect(await allOf(other.eachAny([]))).toEqual([]);
      },
    );

    it('lists nothing of any pattern in an empty store', async () => {
      expect(await allOf(store.eachAny(['r.*', 'g.*']))).toEqual([]);
    });

    it('tells a follower from a revision on what was written since, and every change after', async () => {
      await store.put('a', bytes('one'));
      await store.put('b', bytes('two'));
      const since = await store.put('c', bytes('three'));
      const follower = new Follower();
      const later = new Follower();
      const following = [await other.follow(follower.hear, since), await other.follow(later.hear, since + 1)];
      expect([follower.changes, later.changes]).toEqual([[['c', 'three']], []]);
      await store.put('a', bytes('four'));
      expect((await follower.atLeast(2)).slice(1)).toEqual([['a', 'four']]);
      expect(await later.atLeast(1)).toEqual([['a', 'four']]);
      for (const one of following) one.close();
    });

    it('tells a follower of a pattern what is there under it, every change after, and nothing else', async () => {
      for (const key of ['g.1.a', 'g.2.a', 'r.1.a', 'x']) await store.put(key, bytes(key));
      const [some, one, none] = [new Follower(), new Follower(), new Follower()];
      const following = [
        await other.follow(some.hear, 0, 'g.1.*'),
        await other.follow(one.hear, 0, 'x'),
        await other.follow(none.hear, 0, 'g.3.*'),
      ];
      expect([some.changes, one.changes, none.changes]).toEqual([[['g.1.a', 'g.1.a']], [['x', 'x']], []]);
      for (const key of ['g.2.b', 'g.1.b', 'g.3.a']) await store.put(key, bytes('new'));
      await store.delete('x');
      await store.delete('g.1.a');
      const changes = [await some.atLeast(3), await one.atLeast(2), await none.atLeast(1)];
      expect(changes.map((all) => all.slice(-2))).toEqual([
        [
          ['g.1.b', 'new'],
          ['g.1.a', undefined],
        ],
        [
          ['x', 'x'],
          ['x', undefined],
        ],
        [['g.3.a', 'new']],
      ]);
      for (const all of following) all.close();
    });

    it('gives what was written last under a pattern, whatever its key, and nothing for a deletion', async () => {
      for (const key of ['r.9', 'r.1', 'd.1', 'r.5']) await store.put(key, bytes(key));
      const again = await store.put('r.1', bytes('again'));
      const entry = await other.last('r.*');
      expect([entry?.key, textOf(entry?.value), entry?.revision]).toEqual(['r.1', 'again', again]);
      expect((await other.last('*.1'))?.key).toBe('r.1');
      expect((await other.last('d.1'))?.key).toBe('d.1');
      expect(await other.last('x.*')).toBeUndefined();
      await store.delete('d.1');
      expect(await other.last('d.*')).toBeUndefined();
    });

    it('names the keys under a pattern, each once', async () => {
      expect(await store.keyNames('r.*')).toEqual([]);
      for (const key of ['r.a.0', 'r.a.5', 'r.b.0', 'd.a.0', 'r.a.0']) await store.put(key, bytes(key));
      expect([...(await other.keyNames('r.*.0'))].sort()).toEqual(['r.a.0', 'r.b.0']);
      expect([...(await other.keyNames('r.a.*'))].sort()).toEqual(['r.a.0', 'r.a.5']);
      expect(await other.keyNames('x.*')).toEqual([]);
    });

    it('knows between which revisions all is that is there', async () => {
      const empty = await store.bounds();
      expect(empty.first).toBeGreaterThan(empty.last);
      await store.put('a', bytes('one'));
      const first = await store.put('b', bytes('two'));
      const last = await store.put('a', bytes('three'));
      expect(await other.bounds()).toEqual({ first, last });
    });

    it('lists nothing of an empty store', async () => {
      expect(await store.list('r.*')).toEqual([]);
    });

    it('lists many in the order of their writing, what was written again as the newest, and from any of them on', async () => {
      const keys = Array.from({ length: 30 }, (_, n) => `m.${String(n)}`);
      for (const key of keys) await store.put(key, bytes(key));
      await store.put('other', bytes('x'));
      await store.put('m.3', bytes('again'));
      await store.delete('m.7');
      const order = [...keys.filter((key) => key !== 'm.3' && key !== 'm.7'), 'm.3'];
      const all = await other.list('m.*');
      expect(all.map(({ key }) => key)).toEqual(order);
      for (const from of [1, 7, 8, 9, 20, all.length - 1]) {
        const since = all[from]?.revision ?? 0;
        expect((await other.list('m.*', since)).map(({ key }) => key)).toEqual(order.slice(from));
      }
    });

    it.each([5, 300])('gives what it lists one by one, and no further than its reader goes: of %i', async (count) => {
      const keys = Array.from({ length: count }, (_, n) => `m.${String(n)}`);
      await Promise.all(keys.map((key) => store.put(key, bytes(key))));
      const listed = await other.list('m.*');
      expect(await allOf(other.each('m.*'))).toEqual(listed);
      expect(await allOf(other.each('m.*', listed[3]?.revision))).toEqual(listed.slice(3));
      const some: Entry[] = [];
      for await (const entry of other.each('m.*')) if (some.push(entry) === count - 2) break;
      for await (const entry of other.eachAny(['m.*'])) if (some.push(entry) === 2 * (count - 2)) break;
      expect(some).toEqual([...listed.slice(0, -2), ...listed.slice(0, -2)]);
    });
  });
}
