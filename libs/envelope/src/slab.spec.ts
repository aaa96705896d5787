/** Rules of what is kept for long in one buffer with others: nobody's bytes are another's, and few are held for one. */
import { Slab } from './slab.js';

it('gives each its own bytes, zeros, however many there are', () => {
  const slab = new Slab(3);
  const parts = Array.from({ length: 100 }, () => slab.take());
  parts.forEach((part, n) => part.fill(n + 1));
  expect(parts.map((part) => [...part])).toEqual(parts.map((_, n) => [n + 1, n + 1, n + 1]));
  expect([...slab.take()]).toEqual([0, 0, 0]);
});

it('holds little for one, and at most 32 parts while any of them is held', () => {
  const slab = new Slab(10);
  const rooms = Array.from({ length: 200 }, () => slab.take().buffer.byteLength);
  expect(rooms[0]).toBe(40);
  expect(Math.max(...rooms)).toBe(320);
});
