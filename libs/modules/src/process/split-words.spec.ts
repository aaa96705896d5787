import { quickest } from '@natrium/testing';
import { splitWords } from './split-words.js';

describe('splitting a command', () => {
  it.each([
    ['', []],
    ['  a  b ', ['a', 'b']],
    [`'a b' "c d"`, ['a b', 'c d']],
    [`a'b'"c"d`, ['abcd']],
    [`a\\ b`, ['a b']],
    [`"a\\"b\\\\c\\n"`, ['a"b\\c\\n']],
    [`'' ""`, ['', '']],
    [`'it'\\''s'`, ["it's"]],
    ['a\u00a0b\u3000c\u2028d\fe f\t\r\ng', ['a\u00a0b\u3000c\u2028d\fe', 'f', 'g']],
  ])('%j', (command, words) => {
    expect(splitWords(command).words).toEqual(words);
  });

  it.each(["'a", '"a', 'a\\', '"a\\"'])('refuses %j, which is not closed', (command) => {
    expect(() => splitWords(command)).toThrow('not closed');
  });

  it('tells what a shell would have read', () => {
    expect(splitWords('a | b').looksLikeShell).toBe(true);
    expect(splitWords("a '|' b").looksLikeShell).toBe(false);
  });

  it('reads a long hostile text at once', () => {
    const ms = quickest(() => {
      expect(() => splitWords(`"${'\\a'.repeat(200_000)}`)).toThrow('not closed');
      expect(splitWords("'' ".repeat(100_000)).words).toHaveLength(100_000);
    });
    expect(ms).toBeLessThan(2_000);
  });
});
