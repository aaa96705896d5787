/** Rules of Python's text of a value: what `str()` and `repr()` of Python 3.11 print. */
import { pyRepr, pyStr } from './py-text.js';
import { Float, type Value } from './value.js';

describe('repr', () => {
  it.each<readonly [Value, string]>([
    [null, 'None'],
    [true, 'True'],
    [false, 'False'],
    [0, '0'],
    [-7, '-7'],
    [9007199254740993n, '9007199254740993'],
    [-(10n ** 30n), '-1000000000000000000000000000000'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 'a', null], "[1, 'a', None]"],
    [{ a: [true], b: { c: 1.5 } }, "{'a': [True], 'b': {'c': 1.5}}"],
  ])('of %p', (value, text) => {
    expect(pyRepr(value)).toBe(text);
  });

  it.each<readonly [number, string]>([
    [1, '1.0'],
    [-0, '-0.0'],
    [0, '0.0'],
    [1.5, '1.5'],
    [0.1, '0.1'],
    [1 / 3, '0.3333333333333333'],
    [0.0001, '0.0001'],
    [0.00012345678901234567, '0.00012345678901234567'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [123456789012345680, '1.2345678901234568e+17'],
    [1e22, '1e+22'],
    [-2.5e100, '-2.5e+100'],
    [5e-324, '5e-324'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
    [NaN, 'nan'],
  ])('of the float %p', (number, text) => {
    expect(pyRepr(new Float(number))).toBe(text);
  });

  it('of a number that is not whole needs no mark', () => {
    expect(pyRepr(1.25)).toBe('1.25');
    expect(pyRepr(2 ** 60)).toBe('1.152921504606847e+18');
  });

  it.each<readonly [string, string]>([
    ['plain', "'plain'"],
    ['', "''"],
    ["it's", `"it's"`],
    ['say "x"', `'say "x"'`],
    [`both ' and "`, `'both \\' and "'`],
    ['back\\slash', "'back\\\\slash'"],
    ['a\tb\nc\rd', "'a\\tb\\nc\\rd'"],
    ['\u0000\u001b\u007f', "'\\x00\\x1b\\x7f'"],
    ['\u0080\u00a0\u00ad', "'\\x80\\xa0\\xad'"],
    ['é ü ß', "'é ü ß'"],
    ['\u2028\u3000\u200b', "'\\u2028\\u3000\\u200b'"],
    ['日本 😀', "'日本 😀'"],
    ['\ud800', "'\\ud800'"],
    ['\u{e0001}', "'\\U000e0001'"],
  ])('of the text %p', (value, text) => {
    expect(pyRepr(value)).toBe(text);
  });
});

describe('str', () => {
  it('of a text is the text itself, of all else its repr', () => {
    expect(pyStr("it's")).toBe("it's");
    expect(pyStr(null)).toBe('None');
    expect(pyStr(["it's"])).toBe(`["it's"]`);
    expect(pyStr(new Float(1))).toBe('1.0');
  });
});
