/** Rules of the differences between two texts. */
import { diffLines } from './line-diff.js';

const lines = (count: number, mark: string) => Array.from({ length: count }, (_, at) => `${mark}${String(at)}`);

it('of two long texts that begin alike only what is behind that is compared', () => {
  const [from, to] = [
    [...lines(5000, 'same'), 'x', 'y'],
    [...lines(5000, 'same'), 'y'],
  ];
  expect(diffLines(from, to)).toEqual(['@@ -5001 +5000,0 @@', '-x']);
  expect(diffLines(from, from)).toEqual([]);
  expect(diffLines(lines(3, 'same'), lines(5, 'same'))).toEqual(['@@ -3,0 +4,2 @@', '+same3', '+same4']);
});
