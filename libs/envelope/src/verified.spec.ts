/** Rules of what was verified a moment ago: the very same object, nothing else, and not for ever. */
import type { Signed } from './signing.js';
import { Verified } from './verified.js';

const object = (bytes: number, signature = bytes): Signed => ({
  bytes: new Uint8Array(40).fill(bytes),
  signature: new Uint8Array(64).fill(signature),
});

it('is told of the same bytes under the same signature only', () => {
  const verified = new Verified<string>();
  verified.note(object(1), 'one');
  expect(verified.of(object(1))).toBe('one');
  expect(verified.of(object(2))).toBeUndefined();
  expect(verified.of(object(2, 1))).toBeUndefined();
  expect(verified.of(object(1, 2))).toBeUndefined();
});

it('is what was read, whatever becomes of those bytes', () => {
  const verified = new Verified<string>();
  const read = object(1);
  verified.note(read, 'one');
  read.bytes.fill(7);
  expect(verified.of(read)).toBeUndefined();
  expect(verified.of(object(1))).toBe('one');
});

it('is one of a bounded number, the newest', () => {
  const verified = new Verified<number>(3);
  for (let n = 0; n < 5; n += 1) verified.note(object(n), n);
  expect([0, 1, 2, 3, 4].map((n) => verified.of(object(n)))).toEqual([undefined, undefined, 2, 3, 4]);
});
