/** Rules of a value's size: about what the encoding makes of it, whatever it is made of. */
import { encode } from '@natrium/envelope';
import { Float, toPlain, type Value } from '@natrium/model';
import { measured } from './data-problem.js';
import { roughSize } from './rough-size.js';

it.each<[string, Value]>([
  ['a text', 'x'.repeat(5000)],
  ['a text of characters with several bytes', 'ü'.repeat(5000)],
  ['a list of texts', Array.from({ length: 500 }, (_, n) => `entry ${String(n)}`)],
  ['a map of maps', Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`grain_${String(n)}`, { a: 'b', n }]))],
  ['very large integers', Array.from({ length: 100 }, () => 10n ** 390n)],
  ['whole floats', Array.from({ length: 100 }, () => new Float(1))],
])('%s is as large as it is sent, or a little larger', (_about, value) => {
  const bytes = encode(toPlain(value)).length;
  expect(roughSize(value)).toBeGreaterThan(bytes * 0.9);
  expect(roughSize(value)).toBeLessThan(bytes * 3);
  expect(measured({ value })).toBe(roughSize({ value }));
});
