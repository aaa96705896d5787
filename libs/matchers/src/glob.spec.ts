/** Rules of spec/targeting.md#glob. */
import { quickest } from '@natrium/testing';
import { compileGlob } from './glob.js';

function matches(glob: string, text: string): boolean {
  const made = compileGlob(glob);
  return made.ok && made.value.test(text);
}

describe('a glob', () => {
  it.each([
    ['web*', 'web1', true],
    ['web*', 'xweb1', false],
    ['*.example.com', 'web1.example.com', true],
    ['w*1*m', 'web1.com', true],
    ['w*1*1', 'web1', false],
    ['*eb*', 'web1', true],
    ['**', '', true],
    ['web?', 'web1', true],
    ['web?', 'web', false],
    ['?', '😀', true],
    ['[Ww]eb', 'Web', true],
    ['[!W]eb', 'Web', false],
    ['[^W]eb', 'Web', true],
    ['[^W]eb', '^eb', true],
    ['[]a]', ']', true],
    ['[!]a]', ']', false],
    ['web[', 'web[', true],
    ['node[[]1]', 'node[1]', true],
    ['[a-c]', 'b', true],
    ['[c-a]', 'b', false],
    ['[c-a!b]', 'b', true],
    ['[c-a!b]', 'x', false],
    ['[a-]', '-', true],
    ['{a,b}', 'a', false],
    ['web\\*', 'web1', false],
    ['WEB*', 'web1', false],
    ['a+b', 'a+b', true],
  ])('%j on %j: %s', (glob, text, expected) => {
    expect(matches(glob, text)).toBe(expected);
  });

  it('has at most 1 KiB, and hostile ones are quick', () => {
    expect(compileGlob('a'.repeat(1025)).ok).toBe(false);
    const ms = quickest(() => {
      expect(matches('*a?'.repeat(300), 'a'.repeat(255))).toBe(false);
    });
    expect(ms).toBeLessThan(200);
  });
});
