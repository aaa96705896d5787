/** Rules of what waits to be stored: bounded by number and by bytes, and in messages of a size. */
import type { Own } from './unstored.js';
import { Unstored } from './unstored.js';

const ORIGIN = { kind: 'local', name: 'test' } as const;

function waiting(count: number, size: number): Unstored {
  const unstored = new Unstored();
  for (let number = 1; number <= count; number += 1) unstored.put(anOwn(number, size));
  return unstored;
}

const anOwn = (number: number, size: number): Own => ({
  stored: { number, tag: 't', data: {}, stamp: String(number), origin: ORIGIN },
  size,
  done: undefined,
});

it.each([
  ['many', 50_000, 1],
  ['large', 64, 1 << 20],
])(
  'it is full when they are too %s, and no sooner; when the first are stored there is room again',
  (_, count, size) => {
    expect(waiting(count - 1, size).isFull).toBe(false);
    const full = waiting(count, size);
    expect(full.isFull).toBe(true);
    full.take(1);
    expect([full.isFull, full.lag]).toEqual([false, { unstored: count - 1, since: '2' }]);
  },
);

it.each([
  ['as many as one holds', 1200, 1, 500],
  ['a megabyte at most', 10, 300_000, 3],
  ['one that is larger by itself', 2, 2 << 20, 1],
])('a message is %s', (_, count, size, most) => {
  expect(waiting(count, size).next()).toHaveLength(most);
});

it('nothing is left when all is taken', () => {
  const unstored = waiting(3, 64 << 20);
  expect(unstored.take().map(({ stored }) => stored.number)).toEqual([1, 2, 3]);
  expect([unstored.isEmpty, unstored.isFull]).toEqual([true, false]);
});
