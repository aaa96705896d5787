import { parseNamedWord, parsePeerArguments, parseWords, publishArguments } from './words.js';

describe('words', () => {
  it('takes name=value as a named argument and everything else as positional', () => {
    expect(parseWords(['k=v', 'plain', 'k2=2'])).toEqual(['plain', { __kwarg__: true, k: 'v', k2: 2 }]);
    expect(parseWords(['pip==1.1', '=b', '1a=b', '-a=b', 'a b=c', 'a:b=c', 'a[0]=1'])).toHaveLength(7);
  });

  it('lets names be of any alphabet, with dots and dashes', () => {
    expect(parseWords(['ü.x-1=1'])).toEqual([{ __kwarg__: true, 'ü.x-1': 1 }]);
  });

  it('refuses a line break in a named value, but for one at its very end', () => {
    expect(parseNamedWord('a=b\nc')).toBeUndefined();
    expect(parseNamedWord('a=\n\n')).toBeUndefined();
    expect(parseNamedWord('a=b\n')).toEqual({ name: 'a', value: 'b' });
    expect(parseNamedWord('a=b\rc')).toEqual({ name: 'a', value: 'b\rc' });
  });

  it('lets the last of several values of one name count, and given names win', () => {
    expect(parseWords(['a=1', 'a=2'])).toEqual([{ __kwarg__: true, a: 2 }]);
    expect(parseWords(['a=1'], { named: { a: 3 } })).toEqual([{ __kwarg__: true, a: 3 }]);
  });

  it('joins mappings marked with true to the named ones and drops any other mark', () => {
    expect(parseWords([{ a: 1, __kwarg__: true }, 'b=2'])).toEqual([{ __kwarg__: true, a: 1, b: 2 }]);
    expect(parseWords([{ a: 1, __kwarg__: 1 }])).toEqual([{ a: 1 }]);
    expect(parseWords([{ __kwarg__: true }])).toEqual([]);
  });

  it('makes a number that is a job id text, where it is positional', () => {
    expect(parseWords(['20260101000000000000', 20260101000000, 20260101000000000000n])).toEqual([
      '20260101000000000000',
      20260101000000,
      '20260101000000000000',
    ]);
    expect(parseWords(['a=20260101000000000000'])).toEqual([{ __kwarg__: true, a: 20260101000000000000n }]);
  });

  it('leaves the values of names in no_parse alone', () => {
    expect(parsePeerArguments(['a=1', 'b=1', '1'], ['a'])).toEqual([1, { __kwarg__: true, a: '1', b: 1 }]);
  });

  it('takes the one argument of publish.publish as none, a list, or a single argument', () => {
    expect(publishArguments(null)).toEqual([]);
    expect(publishArguments('~')).toEqual([]);
    expect(publishArguments('[1, 2]')).toEqual([1, 2]);
    expect(publishArguments('foo,1020')).toEqual(['foo,1020']);
    expect(publishArguments({ a: 1 })).toEqual([{ a: 1 }]);
  });
});
