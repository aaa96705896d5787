/** Rules of spec/targeting.md#data-expressions. */
import { Float, type Value } from '@natrium/model';
import { compileDataExpression, type DataMode } from './data-expression.js';

const DATA = {
  os: 'Debian',
  cpus: 4,
  share: 1.5,
  whole: new Float(1),
  on: true,
  none: null,
  roles: ['web', 'Proxy'],
  tags: { env: 'prod', 'a:b': 'c' },
  users: [{ name: 'ann' }, { name: 'bob' }],
  empty: {},
  odd: { deep: { leaf: 'x' } },
};

function matches(expression: string, mode: DataMode = 'glob', delimiter = ':'): boolean {
  return compileDataExpression(expression, mode, delimiter).test(DATA);
}

describe('a data expression', () => {
  it.each([
    ['os:debian', true],
    ['OS:Debian', false],
    ['os:De*', true],
    ['os', false],
    ['cpus:4', true],
    ['share:1.5', true],
    ['whole:1', false],
    ['whole:1.0', true],
    ['on:TRUE', true],
    ['none:none', true],
    ['roles:proxy', true],
    ['roles:1:proxy', true],
    ['roles:-1:proxy', true],
    ['tags:env', true],
    ['tags:*', true],
    ['tags:nosuch', false],
    ['tags:a:b', true],
    ['users:name:ann', true],
    ['users:ann', false],
    ['users:*:bob', true],
    ['users:1:name:bob', true],
    ['empty:*', false],
    ['*:env:prod', true],
    ['*:prod', false],
    ['*:leaf', false],
    ['odd:*:leaf:x', true],
    ['nosuch:*', false],
    [' os:debian', true],
    ["'os':debian", true],
    ['"tags" :env', true],
    ["'users':'name':ann", true],
    ["'OS':debian", false],
    ['010:x', false],
  ])('%s: %s', (expression, expected) => {
    expect(matches(expression)).toBe(expected);
  });

  it('knows regular expressions, exact values and other delimiters', () => {
    expect(matches('os:deb', 'pcre')).toBe(true);
    expect(matches('os:\\D', 'pcre')).toBe(false);
    expect(matches('os:deb', 'exact')).toBe(false);
    expect(matches('os:DEBIAN', 'exact')).toBe(true);
    expect(matches('tags|env|prod', 'glob', '|')).toBe(true);
  });

  it('matches nothing with an empty delimiter, which parts nothing', () => {
    const [whole, empty] = [':', ''].map((delimiter) => compileDataExpression('a:b', 'glob', delimiter));
    expect([whole?.test({ a: 'b' }), empty?.test({ a: ':b' })]).toEqual([true, false]);
  });

  it('matches nothing where a pattern is wrong, and says so', () => {
    expect(compileDataExpression('os:[', 'pcre').problem?.reason).toContain('never closed');
    expect(matches('os:[', 'pcre')).toBe(false);
  });

  it.each([
    ['*:prod$', undefined, undefined],
    ['tags:*:pr.d', undefined, undefined],
    ['*:(', 'never closed', undefined],
    ['tags:*', 'nothing that * could repeat', true],
    ['*:*', 'nothing that * could repeat', true],
    ['os:*x', 'nothing that * could repeat', undefined],
  ])(
    '%s, with regular expressions, has a pattern only where `*` is no level or key: %s',
    (expression, reason, isMild) => {
      const { problem } = compileDataExpression(expression, 'pcre');
      expect(problem?.isMild).toBe(isMild);
      expect(problem?.reason).toEqual(reason === undefined ? undefined : expect.stringContaining(reason));
    },
  );

  it.each<[number, string, (count: number) => string]>([
    [8192, 'characters', (count) => `os:${'x'.repeat(count - 3)}`],
    [32, 'parts', (count) => `os${':x'.repeat(count - 1)}`],
    [4, 'parts that are *', (count) => `${'*:'.repeat(count)}x`],
  ])('may have %i %s, and not one more', (most, _what, make) => {
    const problems = [most, most + 1].map((count) => compileDataExpression(make(count), 'exact').problem?.reason);
    expect(problems).toEqual([undefined, expect.stringMatching(/^a data expression has at most/)]);
  });

  it('looks once at each place for what remains, where a key repeats from level to level', () => {
    let looks = 0;
    let data: Value = 'end';
    for (let level = 0; level < 40; level += 1) {
      data = new Proxy({ a: data }, {
        getOwnPropertyDescriptor: (map, key) => {
          looks += 1;
          return Reflect.getOwnPropertyDescriptor(map, key);
        },
      }); // prettier-ignore
    }
    expect(compileDataExpression(`${'a:'.repeat(19)}z`, 'glob').test(data)).toBe(false);
    expect(looks).toBeLessThan(20_000);
    expect(compileDataExpression(`${'a:'.repeat(19)}a`, 'glob').test(data)).toBe(true);
  });

  it('matches nothing that is no mapping, and bounds what it would cost', () => {
    expect(compileDataExpression('os:*', 'glob').test(['os'])).toBe(false);
    expect(compileDataExpression('os:*', 'glob').test(undefined)).toBe(false);
    expect(compileDataExpression('*:'.repeat(9), 'glob').problem).toBeDefined();
    expect(compileDataExpression(`os:${'x|'.repeat(4000)}debian`, 'pcre').test(DATA)).toBe(true);
    expect(compileDataExpression(`os:${'x|'.repeat(4100)}debian`, 'pcre').problem?.reason).toContain('8192 characters');
  });
});
