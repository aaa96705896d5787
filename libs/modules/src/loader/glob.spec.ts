import { quickest } from '@natrium/testing';
import { matchesGlob } from './glob.js';

describe('globs over names', () => {
  it.each([
    ['*', 'anything', true],
    ['*', '', true],
    ['test.*', 'test.ping', true],
    ['test.*', 'testing.x', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]]x', ']x', true],
    ['[x', '[x', true],
    ['a.c', 'abc', false],
    ['*a*b', 'xaxxb', true],
  ])('%j over %j is %j', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it('takes no longer for a hostile pattern', () => {
    const ms = quickest(() => {
      expect(matchesGlob('*a'.repeat(50), 'a'.repeat(2_000) + 'b')).toBe(false);
    });
    expect(ms).toBeLessThan(1_000);
  });
});
