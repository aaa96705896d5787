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

  it.each([
    'a | b', 'a && b', 'a; b', 'a >b', 'echo $HOME', 'echo "$HOME"', 'a `b`', 'a "`b`"', 'rm /tmp/good*', 'ls a?', 'ls [ab].log',
    'mkdir -p /x/{p,q}', 'echo {1..3}', 'ls ~', 'ls ~/x', 'ls ~fred', 'a\nb', 'a b\n  c\n', 'a \\\n b', '(ls)',
  ])('tells that a shell would have read more in it: %j', (command) => {
    expect(splitWords(command).looksLikeShell).toBe(true);
  }); // prettier-ignore

  it.each([
    "a '|' b", "echo '$HOME'", 'echo "\\$HOME"', 'a\\*', "rm '/tmp/good*'", '[ -f /x ]', 'find . -exec ls {} +', 'git show @{0}',
    'a~ b', 'x=~y', 'a', '\n a b \n', "a 'b\nc'",
  ])('and not of it: %j', (command) => {
    expect(splitWords(command).looksLikeShell).toBe(false);
  }); // prettier-ignore

  it('reads a long hostile text at once', () => {
    const ms = quickest(() => {
      expect(() => splitWords(`"${'\\a'.repeat(200_000)}`)).toThrow('not closed');
      expect(splitWords("'' ".repeat(100_000)).words).toHaveLength(100_000);
      for (const one of ['[', '{', '{,', '~']) expect(splitWords(one.repeat(200_000)).looksLikeShell).toBe(false);
    });
    expect(ms).toBeLessThan(2_000);
  });
});
