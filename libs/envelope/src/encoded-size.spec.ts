/** The counter and the encoder agree on every value, and on what has no encoding. */
import fc from 'fast-check';
import { encodedSize } from './encoded-size.js';
import { encode, type Wire } from './encoding.js';

const key = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text !== '__proto__');
const fraction = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n));
const wires = fc.letrec<{ wire: Wire }>((tie) => ({
  wire: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger(),
    fc.integer({ min: -0x20000, max: 0x20000 }),
    fraction,
    fc.string({ maxLength: 300 }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('wire'), { maxLength: 20 }),
    fc.dictionary(key, tie('wire'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));
/** Around each length at which a head grows. */
const EDGES = [0, 15, 16, 17, 31, 32, 255, 256, 65_535, 65_536];
/** Around each number at which one takes more bytes, of both signs. */
const NUMBERS = [0, 0x1f, 0x20, 0x21, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000]
  .concat([0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, Number.MAX_SAFE_INTEGER])
  .flatMap((n) => [n, -n]); // prettier-ignore

function expectSame(value: Wire): void {
  expect(encodedSize(value)).toBe(encode(value).length);
}

function nested(levels: number, level: (inner: Wire) => Wire): Wire {
  return levels === 0 ? 0 : level(nested(levels - 1, level));
}

describe('the size of an encoding', () => {
  it('is the length of what the encoder makes of a value', () => {
    fc.assert(fc.property(wires.wire, expectSame), { numRuns: 2000 });
  });

  it.each(EDGES)('is that also of what is %d long', (length) => {
    expectSame('x'.repeat(length));
    expectSame('é'.repeat(length));
    expectSame(`é${'x'.repeat(length)}`);
    expectSame(new Uint8Array(length));
    expectSame(Array.from({ length }, () => null));
    expectSame(Object.fromEntries(Array.from({ length }, (_, index) => [String(index), index])));
  });

  it.each(NUMBERS)('is that also of the number %d', expectSame);

  it('is that also of the 32 levels that there may be', () => {
    expectSame(nested(32, (inner) => [inner]));
    expectSame(nested(32, (inner) => ({ inner })));
  });
});
