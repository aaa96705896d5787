import { float, type Value } from '@natrium/model';
import { nested } from './nested.js';

const show = (value: Value): string => nested(value, { color: false });
const page = (...lines: readonly string[]): string => lines.join('\n');

describe('nested', () => {
  it("prints the contract's sample to the letter", () => {
    const value = { m1: { l: ['p', { q: 'r' }], a: { z: {}, y: '', x: null }, b: 1 }, m2: [1, [2, 3]] };
    expect(show(value)).toBe(
      page(
        'm1:',
        '    ----------',
        '    a:',
        '        ----------',
        '        x:',
        '            None',
        '        y:',
        '        z:',
        '            ----------',
        '    b:',
        '        1',
        '    l:',
        '        - p',
        '        |_',
        '          ----------',
        '          q:',
        '              r',
        'm2:',
        '    - 1',
        '    |_',
        '      - 2',
        '      - 3',
      ),
    );
  });

  it.each<[string, Value, string]>([
    ['None', null, 'None'],
    ['True', true, 'True'],
    ['False', false, 'False'],
    ['an integer', 7, '7'],
    ['a float with its point', float(1), '1.0'],
    ['a float', 1.5, '1.5'],
    ['a big integer', 12345678901234567890n, '12345678901234567890'],
    ['a text', 'hi', 'hi'],
    ['nothing for an empty text', '', ''],
    ['nothing for an empty list', [], ''],
    ['nothing for an empty map at the top', {}, ''],
  ])('spells %s as Python does', (_, value, text) => {
    expect(show(value)).toBe(text);
  });

  it('prints the list of a runner from column 0', () => {
    expect(show(['web1', 'web2'])).toBe(page('- web1', '- web2'));
  });

  it('keeps every line of a text at the indent, and in a list two columns in after the first', () => {
    expect(show({ a: 'x\ny\n' })).toBe(page('a:', '    x', '    y'));
    expect(show(['x\ny'])).toBe(page('- x', '  y'));
  });

  it('leaves nothing after the key for an empty list', () => {
    expect(show({ a: [] })).toBe('a:');
  });

  it('sorts keys as text', () => {
    expect(show({ b: 1, a: 2, B: 3 })).toBe(page('B:', '    3', 'a:', '    2', 'b:', '    1'));
    expect(show({ '😀': 1, '！': 2 })).toBe(page('！:', '    2', '😀:', '    1'));
  });

  it('disarms terminal controls in keys and texts', () => {
    expect(show({ 'a\u001b[2J': 'x\u001b[31m\u0007y\tz\u009b' })).toBe(page('a?[2J:', '    x?[31m?y\tz?'));
  });

  it('has a key on one line whatever it holds', () => {
    expect(show({ 'a:\n    True\nb': 'x' })).toBe(page('a:?    True?b:', '    x'));
  });

  it("uses Salt's colours only when asked", () => {
    const value = { m: ['s', 1, { k: true }] };
    expect(nested(value, { color: true })).toBe(
      page(
        '\u001b[0;36mm\u001b[0;0m:',
        '    \u001b[0;32m- s\u001b[0;0m',
        '    \u001b[0;1;33m- 1\u001b[0;0m',
        '    \u001b[0;32m|_\u001b[0;0m',
        '      \u001b[0;36m----------\u001b[0;0m',
        '      \u001b[0;36mk\u001b[0;0m:',
        '          \u001b[0;1;33mTrue\u001b[0;0m',
      ),
    );
  });

  it('paints keys red when the function failed', () => {
    expect(nested({ m: 'x' }, { color: true, retcode: 1 })).toContain('\u001b[0;31mm\u001b[0;0m:');
  });
});
