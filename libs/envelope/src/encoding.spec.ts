import fc from 'fast-check';
import { Packr } from 'msgpackr';

import { decode, decodeCopied, encode, EncodingError, joinLists, type Wire } from './encoding.js';
import { fromHex, toHex } from './bytes.js';
import { encodedSize } from './encoded-size.js';

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'number' });

const key = fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text !== '__proto__');
const safe = fc.maxSafeInteger();
const fraction = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n));
const wires = fc.letrec<{ wire: Wire }>((tie) => ({
  wire: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    safe,
    fc.integer(),
    fraction,
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('wire'), { maxLength: 20 }),
    fc.dictionary(key, tie('wire'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));

describe('the encoding', () => {
  it('reads what it wrote, and writes what it read with the same bytes', () => {
    fc.assert(
      fc.property(wires.wire, (value) => {
        const bytes = encode(value);
        const read = decode(bytes);
        expect(read).toEqual(withoutMinusZero(value));
        expect(toHex(encode(read))).toBe(toHex(bytes));
      }),
    );
  });

  it('of a list that is joined of lists of one is the list’s own', () => {
    const listOf = fc.array(wires.wire, { maxLength: 40 });
    fc.assert(
      fc.property(listOf, (values) => {
        expect(toHex(joinLists(values.map((value) => encode([value]))))).toBe(toHex(encode(values)));
      }),
    );
    for (const length of [0, 1, 15, 16, 65_535, 65_536]) {
      const one = encode([7]);
      const values = Array.from({ length }, () => 7);
      expect(Buffer.compare(joinLists(Array.from({ length }, () => one)), encode(values))).toBe(0);
    }
    expect(() => joinLists([encode([1, 2])])).toThrow(RangeError);
    expect(() => joinLists([encode('x')])).toThrow(RangeError);
  });

  it('of at most so many values is read and written, however it holds them; of one more it is not', () => {
    fc.assert(
      fc.property(wires.wire, (value) => {
        const values = valuesIn(value);
        const bytes = encode(value, values);
        expect(decode(bytes, values)).toEqual(decode(bytes));
        if (values === 0) return;
        expect(() => encode(value, values - 1)).toThrow(EncodingError);
        expect(() => decode(bytes, values - 1)).toThrow(EncodingError);
        expect(() => decodeCopied(bytes, values - 1)).toThrow(EncodingError);
      }),
    );
  });

  it('is MessagePack as an independent reader understands it', () => {
    fc.assert(
      fc.property(wires.wire, (value) => {
        expect(plain(packr.unpack(encode(value)))).toEqual(plain(withoutMinusZero(value)));
      }),
    );
  });

  it('never gives another failure than its own for any bytes, and reads only the one form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const read = tryDecode(bytes);
        if (read !== undefined) expect(toHex(encode(read))).toBe(toHex(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['a cut list of 4 billion', 'ddffffffff'],
    ['a cut map of 4 billion', 'dfffffffff'],
    ['cut bytes of 4 GiB', 'c6ffffffff'],
    ['20,000 levels', '91'.repeat(20_000)],
  ])('refuses %s at once', (_name, hex) => {
    expect(() => decode(fromHex(hex))).toThrow(EncodingError);
  });

  it.each<[string, unknown]>([
    ['NaN', NaN],
    ['infinity', -Infinity],
    ['an integer beyond 2^53', 2 ** 53],
    ['an integer below -2^53', -(2 ** 53)],
    ['an unpaired surrogate', 'a\ud800b'],
    ['an unpaired surrogate in a long text', `${'a'.repeat(100)}\udc00`],
    ['an unpaired surrogate in a key', { ['\udfff']: 1 }],
    ['the key __proto__', Object.fromEntries([['__proto__', 1]])],
    ['a bigint', 1n],
    ['undefined', undefined],
    ['undefined in a map', { a: undefined }],
    ['a hole in a list', Array(2)],
    ['a date', new Date(0)],
    ['a Map', new Map()],
    ['33 lists', nested(33)],
    ['33 maps', Array.from({ length: 33 }).reduce((inner) => ({ inner }), 1)],
  ])('refuses to write, and to count, %s', (_name, value) => {
    expect(() => encode(asWire(value))).toThrow(EncodingError);
    expect(() => encodedSize(asWire(value))).toThrow(EncodingError);
  });

  it.each<[string, Wire]>([
    ['the largest integer', Number.MAX_SAFE_INTEGER],
    ['a paired surrogate', 'a\ud83d\ude00b'],
    ['a key that only looks like __proto__', { __proto: 1 }],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 })],
    ['32 levels', nested(32)],
    ['minus zero, as zero', -0],
  ])('writes %s', (_name, value) => {
    expect(decode(encode(value))).toEqual(withoutMinusZero(value));
  });

  it('fails with a code', () => {
    expect(new EncodingError('why').code).toBe('ERR_ENCODING');
  });

  it('gives bytes of its own each time, also after a large value and a refused one', () => {
    const first = encode('first');
    encode(new Uint8Array(3 << 20));
    expect(() => encode(['x'.repeat(100), NaN])).toThrow(EncodingError);
    const second = encode(['x'.repeat(100)]);
    expect(decode(first)).toBe('first');
    expect(decode(second)).toEqual(['x'.repeat(100)]);
  });

  it('reads byte strings as plain views on what it was given', () => {
    const bytes = Buffer.from(encode([new Uint8Array([1, 2, 3])]));
    const [view] = [decode(bytes)].flat();
    expect(view).toBeInstanceOf(Uint8Array);
    expect(Buffer.isBuffer(view)).toBe(false);
    bytes[bytes.length - 1] = 9;
    expect(view).toEqual(new Uint8Array([1, 2, 9]));
  });

  it('reads byte strings as copies where the place is used again', () => {
    const bytes = encode([new Uint8Array([1, 2, 3])]);
    const read = decodeCopied(bytes);
    bytes.fill(9);
    expect(read).toEqual([new Uint8Array([1, 2, 3])]);
  });
});

function tryDecode(bytes: Uint8Array): Wire | undefined {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof EncodingError) return undefined;
    throw error;
  }
}

function nested(levels: number): Wire {
  return levels === 0 ? 0 : [nested(levels - 1)];
}

/** A value that no type check let through, as JavaScript callers may have it. */
function asWire(value: unknown): Wire {
  return value as Wire;
}

function withoutMinusZero(value: Wire): Wire {
  if (value === 0) return 0;
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutMinusZero(item)]));
}

function plain(value: unknown): unknown {
  return JSON.stringify(value, (_key, item: unknown) => (item instanceof Uint8Array ? `bytes ${toHex(item)}` : item));
}

/** Items of lists and entries of maps. */
function valuesIn(value: Wire): number {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0;
  const items: readonly Wire[] = Object.values(value);
  return items.reduce<number>((sum, item) => sum + 1 + valuesIn(item), 0);
}
