import { sample } from './sample.js';

const ITEMS = ['a', 'b', 'c', 'd'];

it.each([
  [0, []],
  [2, ['a', 'b']],
  [4, ITEMS],
  [9, ITEMS],
])('%d of four are these where chance is always the least', (count, wanted) => {
  expect(sample(ITEMS, count, () => 0)).toEqual(wanted);
});

it('has each at most once, and leaves what it chose from as it was', () => {
  const items = Object.freeze([...ITEMS]);
  expect(sample(items, 4, () => 0.999)).toEqual(['d', 'a', 'b', 'c']);
  expect(new Set(Array.from({ length: 200 }, () => sample(items, 4, Math.random)[0]))).toEqual(new Set(ITEMS));
});
