/** Rules of what is under way: it is what a map would be, and nothing that has gone is held by it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InFlight } from './in-flight.js';

it('is what a map is', () => {
  const underWay = new InFlight<string, number>();
  for (const [at, key] of ['a', 'b', 'c'].entries()) underWay.set(key, at);
  underWay.set('a', 7);
  expect(underWay.delete('b')).toBe(true);
  expect(underWay.delete('b')).toBe(false);
  expect([underWay.get('a'), underWay.get('b'), underWay.get('c')]).toEqual([7, undefined, 2]);
  expect([underWay.has('a'), underWay.has('b'), underWay.size]).toEqual([true, false, 2]);
  expect([...underWay.keys()]).toEqual(['a', 'c']);
  expect([...underWay.values()]).toEqual([7, 2]);
  expect([...underWay]).toEqual([['a', 7], ['c', 2]]); // prettier-ignore
});

it('may lose what it is just looked through for', () => {
  const underWay = new InFlight<number, string>();
  for (let key = 0; key < 100; key += 1) underWay.set(key, `value ${String(key)}`);
  const seen: string[] = [];
  for (const [key, value] of underWay) {
    seen.push(value);
    underWay.delete(key);
    underWay.delete(key + 1);
  }
  expect(seen).toHaveLength(50);
  expect(underWay.size).toBe(0);
});

interface Holder extends Iterable<unknown> {
  set(key: number, value: object): unknown;
  delete(key: number): boolean;
}

it.each<[string, () => Holder, boolean]>([
  ['holds nothing that has gone, also where a table of before is held', () => new InFlight<number, object>(), false],
  ['(a map does)', () => new Map<number, object>(), true],
])('%s', async (_, made, isHeld) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const underWay = made();
  underWay.set(0, {});
  const gone = (() => {
    const value = { large: true };
    underWay.set(1, value);
    return new WeakRef(value);
  })();
  const reader = underWay[Symbol.iterator](); // holds the table of now, as the heap's old generation would
  reader.next();
  for (let key = 2; key < 100; key += 1) underWay.set(key, {});
  for (let key = 0; key < 100; key += 1) underWay.delete(key);
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(gone.deref() !== undefined).toBe(isHeld);
  expect(reader.next().done).toBe(true);
});
