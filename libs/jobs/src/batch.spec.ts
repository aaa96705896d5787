import { batchesOf, batchSizeOf, hasFailed } from './batch.js';

it.each([
  ['3', { count: 3 }],
  [' 3 ', { count: 3 }],
  ['50%', { percent: 50 }],
  ['%50', { percent: 50 }],
  ['0.5%', { percent: 0.5 }],
  [' 50 % ', { percent: 50 }],
  ['% 50', { percent: 50 }],
])('%j is a size', (text, size) => {
  expect(batchSizeOf(text)).toEqual(size);
});

it.each(['0', '0%', '%', '', 'x', '1.5', '%1%', '-1', '1e3', '5 0%', ' % '])('%j is none', (text) => {
  expect(batchSizeOf(text)).toBeUndefined();
});

it.each([
  [{ count: 2 }, [3, 'ab,c']],
  [{ count: 9 }, [3, 'abc']],
  [{ percent: 50 }, [3, 'a,b,c']],
  [{ percent: 67 }, [3, 'ab,c']],
  [{ percent: 1 }, [2, 'a,b']],
  [{ percent: 300 }, [3, 'abc']],
  [{ count: 1 }, [0, '']],
] as const)('batches of %j of %j', (size, [count, expected]) => {
  const ids = ['a', 'b', 'c'].slice(0, count);
  const batches = batchesOf(ids, size).map((batch) => batch.join(''));
  expect(batches.join(',')).toBe(expected);
});

it.each([
  [0, true, false],
  [1, true, true],
  [-1, true, true],
  [0, false, true],
])('a return with retcode %d and success %s has failed: %s', (retcode, success, failed) => {
  expect(hasFailed({ retcode, success })).toBe(failed);
});
