import { inJavaScript } from './python-pattern.js';

const MULTILINE = 8;

/** What the expression takes out of a text, everywhere, with an underscore in its place: `re.sub(pattern, '_', text, flags=flags)`. */
const without = (pattern: string, text: string, flags = MULTILINE): string => {
  const { source, flags: letters } = inJavaScript({ source: pattern, flags });
  return text.replace(new RegExp(source, `${letters}g`), '_');
};

describe('a pattern means what it means in Python', () => {
  it.each([
    ['\\[[^]]*\\]', '[ab] c [d]', '_ c _'],
    ['[]x]', 'a]x', 'a__'],
    ['[^]x]+', 'ab]x', '_]x'],
    ['[[]', 'a[b', 'a_b'],
    ['a{,2}b', 'aab', '_'],
    ['(?#what follows)b', 'ab', 'a_'],
    ['(?P<c>.)(?P=c)', 'abba', 'a_a'],
    ['\\(.\\)\\[\\^\\$', '(x)[^$', '_'],
    ['[.^$(]', 'a.^$(', 'a____'],
    ['\\\\Ab', '\\Ab', '_'],
  ])('%j in %j', (pattern, text, result) => {
    expect(without(pattern, text)).toBe(result);
  });

  it.each([
    ['^$', 'a\r\n\r\nb', MULTILINE, 'a\r\n\r\nb'],
    ['^$', 'a\n\nb', MULTILINE, 'a\n_\nb'],
    ['b$', 'b\r\nb\nb', MULTILINE, 'b\r\n_\n_'],
    ['^b', 'a\u2028b\rb\nb', MULTILINE, 'a\u2028b\rb\n_'],
    ['.+', 'a\r\nb', MULTILINE, '_\n_'],
    ['.+', 'a\nb', 16, '_'],
    ['b$', 'b\nb\n', 0, 'b\n_\n'],
    ['b\\Z', 'b\n', 0, 'b\n'],
    ['^b', 'b\nb', 0, '_\nb'],
  ])('ends lines at a line feed alone: %j in %j with the flags %d', (pattern, text, flags, result) => {
    expect(without(pattern, text, flags)).toBe(result);
  });

  it('takes flags that open it', () => {
    expect(without('(?i)ab', 'xAb', 0)).toBe('x_');
    expect(without('(?ms)^a.b$', 'x\na\nb\n', 0)).toBe('x\n_\n');
  });
});

it.each(['(', '[a', '[]', '[^]', '(?#', '(?x)a b', 'a(?i)b', '(?>a)', 'a++', '[\\A]'])('refuses %j', (source) => {
  expect(() => inJavaScript({ source, flags: 0 })).toThrow('the pattern does not compile');
});

it.each([64, 72, 4])('refuses the flags %d, which mean something that is not here', (flags) => {
  expect(() => inJavaScript({ source: 'a', flags })).toThrow(`Invalid re flag given: ${flags}`);
});
