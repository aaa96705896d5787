import { keepLatest } from './keep-latest.js';

it.each([
  [4, ['a', 'b', 'c'], false],
  [3, ['a', 'b', 'c'], false],
  [2, ['b', 'c'], true],
  [1, ['c'], true],
  [0, [], true],
])('of three, %d at most are the latest', (most, left, went) => {
  const [set, map] = [new Set(['a', 'b', 'c']), new Map(['a', 'b', 'c'].map((key, at) => [key, at]))];
  expect([keepLatest(set, most), keepLatest(map, most)]).toEqual([went, went]);
  expect([[...set], [...map.keys()]]).toEqual([left, left]);
});

it('takes the order from when each was put in first: what is put in again keeps its place', () => {
  const kept = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  kept.set('a', 3).set('c', 4);
  keepLatest(kept, 2);
  expect([...kept]).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
});
