/** Rules of values: what Python takes for true and for false. */
import { Float, isTrue } from './value.js';

it.each([null, false, 0, 0n, new Float(0), '', [], {}])('%p is false', (value) => {
  expect(isTrue(value)).toBe(false);
});

it.each([true, 1, -1, 1n, new Float(0.5), 'False', '0', [0], { a: null }])('%p is true', (value) => {
  expect(isTrue(value)).toBe(true);
});
