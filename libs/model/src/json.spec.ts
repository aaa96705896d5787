import { readJson, writeJson } from './json.js';
import { Float, type Value } from './value.js';

const MARK = 'mark:';

describe('JSON of any language', () => {
  it.each<[string, Value]>([
    ['1', 1],
    ['1.0', new Float(1)],
    ['-0.5', -0.5],
    ['1e400', new Float(Infinity)],
    ['NaN', new Float(NaN)],
    ['12345678901234567890', 12345678901234567890n],
    ['{"1.0": [1.0, "2.0", "a\\"3.0"]}', { '1.0': [new Float(1), '2.0', 'a"3.0'] }],
  ])('reads %s', (text, value) => {
    expect(readJson(text, MARK)).toEqual(value);
  });

  it.each<[Value, string]>([
    [new Float(1), '1.0'],
    [new Float(NaN), 'NaN'],
    [12345678901234567890n, '12345678901234567890'],
    [{ a: [1, null, true, 'x"'] }, '{"a":[1,null,true,"x\\""]}'],
  ])('writes %p', (value, text) => {
    expect(writeJson(value)).toBe(text);
  });

  it.each(['', '{', '1 2', '{"a":01}', '"\\'])('refuses %j', (text) => {
    expect(() => readJson(text, MARK)).toThrow(/JSON|Unexpected|Unterminated|Bad/);
  });

  it('refuses a whole number of more than 400 digits, which would cost more than its length', () => {
    expect(readJson('9'.repeat(400), MARK)).toBe(10n ** 400n - 1n);
    expect(readJson(`-${'9'.repeat(400)}`, MARK)).toBe(1n - 10n ** 400n);
    for (const sign of ['', '-'])
      expect(() => readJson(`[${sign}${'9'.repeat(401)}]`, MARK)).toThrow('more than 400 digits');
  });

  it('looks at nothing twice in a text that is never closed, which would cost its square', () => {
    expect(() => readJson(`[1.0,"${'\\"'.repeat(150_000)}`, MARK)).toThrow(SyntaxError);
    expect(() => readJson(`[1.0,"${'"'.repeat(300_000)}`, MARK)).toThrow(SyntaxError);
  });

  it('refuses what is nested too deep', () => {
    expect(() => readJson('['.repeat(100) + ']'.repeat(100), MARK)).toThrow('deeper than 64');
  });

  it.each([
    [`{"[": [],\n  "a": ${'['.repeat(65)}1${']'.repeat(65)}}`, 'nested deeper than 64 levels (2:71)'],
    [`[1.0, "${'9'.repeat(500)}",\n${'9'.repeat(401)}.5, -${'9'.repeat(401)}]`, 'a whole number of more than 400 digits (2:406)'],
  ])('tells where it is: %#', (text, said) => {
    expect(() => readJson(text, MARK)).toThrow(said);
  }); // prettier-ignore
});
