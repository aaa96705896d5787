/** Rules of long work: it is done in order, and others have their turn, after a few large pieces or some hundred small ones. */
import { turnsDuring } from '@natrium/testing';
import { inSlices } from './in-slices.js';

async function read(sizes: readonly number[]): Promise<readonly number[]> {
  const done: number[] = [];
  for await (const size of inSlices(sizes, (one) => one)) done.push(size);
  return done;
}

it('all is done, in order', async () => {
  const sizes = Array.from({ length: 3000 }, (_, n) => n);
  expect(await read(sizes)).toEqual(sizes);
  expect(await read([])).toEqual([]);
});

it.each([
  ['small', 100, 2000, 3, 20],
  ['large', 1 << 20, 10, 9, 10],
  ['few', 100, 200, 0, 0],
])('of %s pieces, of %i bytes, %i leave others between %i and %i turns', async (_, bytes, pieces, least, most) => {
  const turns = await turnsDuring(() => read(Array.from({ length: pieces }, () => bytes)));
  expect(turns).toBeGreaterThanOrEqual(least);
  expect(turns).toBeLessThanOrEqual(most);
});
