/** Rules of values as plain data: everything that a value can be comes back as it was, and nothing else is read. */
import fc from 'fast-check';
import { fromPlain, type Plain, toPlain } from './tagged-value.js';
import { Float, float, type Value } from './value.js';

const FLOATS: readonly (readonly [number, string])[] = [
  [1, '1.0'],
  [-3, '-3.0'],
  [0, '0.0'],
  [-0, '-0.0'],
  [1e16, '1e+16'],
  [1e-5, '1e-05'],
  [1e21, '1e+21'],
  [1e300, '1e+300'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
  [NaN, 'nan'],
];

describe('a value as plain data', () => {
  it.each(FLOATS)('tags the float %p', (number, text) => {
    expect(toPlain(new Float(number))).toEqual({ $float: text });
    expect(fromPlain({ $float: text })).toEqual(new Float(number));
  });

  it.each([2 ** 53, -(2 ** 53), 1e300, -0, NaN, Infinity])(
    'tags a plain number that no whole number of the wire can be: %p',
    (number) => {
      expect(fromPlain(toPlain(number))).toEqual(new Float(number));
    },
  );

  it.each([0, -1, 1.5, -0.1, 5e-324, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'leaves a number alone that is itself on the wire: %p',
    (number) => {
      expect(toPlain(number)).toBe(number);
    },
  );

  it('tags whole numbers beyond 2^53', () => {
    expect(toPlain(2n ** 53n + 1n)).toEqual({ $int: '9007199254740993' });
    expect(fromPlain({ $int: '-9007199254740993' })).toBe(-9007199254740993n);
  });

  it('gives a key with a dollar one more, and takes it away again', () => {
    const map = { $int: 'mine', $$: 1, $: 2, plain: 3 };
    expect(toPlain(map)).toEqual({ $$int: 'mine', $$$: 1, $$: 2, plain: 3 });
    expect(fromPlain(toPlain(map))).toEqual(map);
  });

  it('never reads a map of a user as a tag', () => {
    for (const map of [{ $int: '5' }, { $float: 'nan' }, { $$int: '5' }]) expect(fromPlain(toPlain(map))).toEqual(map);
  });

  it('is no copy of what holds nothing that travels otherwise, and changes nothing of what does', () => {
    const same: Value = { list: [1, { deep: ['x', null, true] }], text: 'y' };
    expect([toPlain(same), fromPlain(toPlain(same))]).toEqual([same, same]);
    expect(toPlain(same)).toBe(same);
    expect(fromPlain(toPlain(same))).toBe(same);
    const other: Value = { first: [same], list: [1, new Float(2), 3], $: 4, last: 5 };
    const before = structuredClone({ ...other, list: null });
    expect(toPlain(other)).toEqual({ first: [same], list: [1, { $float: '2.0' }, 3], $$: 4, last: 5 });
    expect(Object.keys(toPlain(other) as object)).toEqual(['first', 'list', '$$', 'last']);
    expect({ ...other, list: null }).toEqual(before);
    expect(fromPlain(toPlain(other))).toEqual(other);
  });

  it('leaves out what is undefined, and is a plain map whatever class it was of', () => {
    class Odd {
      a = 1;
      b = undefined;
    }
    const odd = { first: 1, gone: undefined, odd: new Odd(), none: Object.create(null) as object } as unknown as Value;
    expect(toPlain(odd)).toEqual({ first: 1, odd: { a: 1 }, none: {} });
    const { odd: plain, none } = toPlain(odd) as unknown as Record<string, object>;
    for (const one of [plain, none]) expect(Object.getPrototypeOf(one)).toBe(Object.prototype);
  });

  it('takes as long as it has levels where the deepest is what changes', () => {
    let deep: Value = new Float(1);
    for (let level = 0; level < 60; level += 1) deep = level % 2 === 0 ? { deep } : [deep];
    expect(fromPlain(toPlain(deep))).toEqual(deep);
  });

  it('keeps a key that names the prototype a key', () => {
    const map = JSON.parse('{"__proto__": {"a": 1}}') as Value;
    const read = fromPlain(toPlain(map)) as object;
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('comes back as it was', () => {
    const leaf = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.maxSafeInteger(),
      fc.bigInt().filter((n) => n > 2n ** 53n || n < -(2n ** 53n)),
      fc.double().map((n) => float(n)),
    );
    const { tree } = fc.letrec<{ tree: Value }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$int', '$float', '$', '$$x')), tie('tree'), {
          maxKeys: 4,
        }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(fromPlain(JSON.parse(JSON.stringify(toPlain(value))) as Plain)).toEqual(unprototyped(value));
      }),
    );
  });

  it.each<readonly [string, unknown]>([
    ['an unknown tag', { $date: 'x' }],
    ['a tag with other keys', { $int: '5', a: 1 }],
    ['a tag among other keys', { a: 1, $float: '1.0' }],
    ['a tag that holds no text', { $int: 5 }],
    ['a whole number with letters', { $int: '0x10' }],
    ['a whole number without digits', { $int: '' }],
    ['a whole number that is endless', { $int: '1'.repeat(401) }],
    ['a float without digits', { $float: ' ' }],
    ['a float with letters', { $float: '0x10' }],
    ['a float with blanks', { $float: ' 1.0' }],
    ['a float in words', { $float: 'Infinity' }],
    ['bytes', Uint8Array.of(1)],
    ['bytes inside', [{ a: Uint8Array.of(1) }]],
  ])('refuses %s', (_about, plain) => {
    expect(() => fromPlain(plain as Plain)).toThrow(RangeError);
  });

  it('is at most 64 levels deep, both ways', () => {
    const nested = (levels: number): Plain => Array.from({ length: levels }).reduce<Plain>((inner) => [inner], null);
    expect(fromPlain(toPlain(nested(64)))).toEqual(nested(64));
    expect(() => toPlain(nested(65))).toThrow(RangeError);
    expect(() => fromPlain(nested(65))).toThrow(RangeError);
  });
});

/** fast-check makes maps without a prototype; ours have one. */
function unprototyped(value: Value): Value {
  if (value === null || typeof value !== 'object' || value instanceof Float) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(unprototyped);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unprototyped(item)]));
}
