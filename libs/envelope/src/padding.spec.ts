import fc from 'fast-check';

import { pad, padme, unpad } from './padding.js';

describe('Padmé', () => {
  it.each([
    [512, 512],
    [513, 544],
    [544, 544],
    [545, 576],
    [1000, 1024],
    [1025, 1088],
    [65_537, 67_584],
    [8_388_608, 8_388_608],
    [8_388_609, 8_650_752],
  ])('of %i is %i', (size, expected) => {
    expect(padme(size)).toBe(expected);
  });

  it('is never smaller, never more than 12 % larger, and itself a padded size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (size) => {
        const padded = padme(size);
        expect(padded).toBeGreaterThanOrEqual(size);
        expect(padded).toBeLessThanOrEqual(size * 1.12 + 1);
        expect(padme(padded)).toBe(padded);
      }),
    );
  });
});

describe('padding', () => {
  it.each([0, 1, 507, 508, 509, 1020, 1021, 5000, 100_000])('of %i bytes is taken off again', (size) => {
    const plaintext = new Uint8Array(size).fill(7);
    expect(unpad(pad(plaintext))).toEqual(plaintext);
  });

  it('hides the size of everything up to 508 bytes', () => {
    expect([0, 100, 508].map((size) => pad(new Uint8Array(size)).length)).toEqual([512, 512, 512]);
    expect(pad(new Uint8Array(509))).toHaveLength(544);
  });

  it.each<[string, Uint8Array]>([
    ['a byte that is not zero', changed(pad(new Uint8Array(100)), 511, 1)],
    ['a byte right behind the plaintext', changed(pad(new Uint8Array(100)), 104, 1)],
    ['a length beyond it', changed(pad(new Uint8Array(100)), 0, 0xff)],
    ['a length that would give another size', changed(pad(new Uint8Array(1000)), 2, 0)],
    ['more zeros than there should be', Uint8Array.of(...pad(new Uint8Array(100)), ...new Uint8Array(32))],
    ['too few bytes for any', new Uint8Array(511)],
    ['nothing', new Uint8Array(0)],
  ])('with %s is refused', (_name, padded) => {
    expect(unpad(padded)).toBeUndefined();
  });
});

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  return bytes.slice().with(at, value);
}
