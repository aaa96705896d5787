/** What waits for the broker is bounded, in bytes and in time. */
import { Unsent } from './unsent.js';

const KIB = 1024;
const message = (n: number) => ({ n, payload: new Uint8Array(KIB) });
const numbers = (taken: readonly { n: number }[]) => taken.map(({ n }) => n);

it('gives back in order what was sent, once', () => {
  const unsent = new Unsent<ReturnType<typeof message>>();
  for (const n of [1, 2, 3]) unsent.add(message(n), 0);
  expect(numbers(unsent.take(10))).toEqual([1, 2, 3]);
  expect(unsent.take(10)).toEqual([]);
  expect(unsent.dropped).toBe(0);
});

it('keeps nothing for longer than its sender waits', () => {
  const unsent = new Unsent<ReturnType<typeof message>>();
  unsent.add(message(1), 0);
  unsent.add(message(2), 3000);
  expect(numbers(unsent.take(5000))).toEqual([2]);
  expect(unsent.dropped).toBe(1);
});

it('drops the oldest when they are too many, however large they are', () => {
  const unsent = new Unsent<ReturnType<typeof message>>(4 * KIB);
  for (const n of [1, 2, 3, 4, 5]) unsent.add(message(n), 0);
  expect(numbers(unsent.take(0))).toEqual([3, 4, 5]);
  unsent.add({ n: 6, payload: new Uint8Array(5 * KIB) }, 0);
  expect(unsent.take(0)).toEqual([]);
  expect(unsent.dropped).toBe(3);
});
