/** Rules of spec/acl.md#patterns. */
import { compilePattern } from './pattern.js';

function prefix(pattern: string, text: string): boolean | string {
  const made = compilePattern(pattern, { mode: 'prefix' });
  return made.ok ? made.value.test(text) : made.error.reason;
}

function whole(pattern: string, text: string): boolean | string {
  const made = compilePattern(pattern, { mode: 'whole' });
  return made.ok ? made.value.test(text) : made.error.reason;
}

describe('a prefix pattern', () => {
  it.each([
    ['test.ping', 'test.ping_evil', true],
    ['test.ping', 'testXping', true],
    ['test.ping', 'test\nping', false],
    ['ping', 'test.ping', false],
    ['', 'anything', true],
    ['te', 'test.ping', true],
    ['.*example.com', 'a.example.com.evil.net', true],
    ['.*example.com', 'a\nexample.com', false],
    ['.*evil.net$', 'web1.evil.net', true],
    ['web1$', 'web1\n', true],
    ['web1$', 'web1\nx', false],
    ['web1\\Z', 'web1\n', false],
    ['^test\\.', 'test.x', true],
    ['(test|pkg)\\..*', 'pkg.x', true],
    ['a{,2}b', 'aab', true],
    ['a{,2}b', 'aaab', false],
    ['a{2}{', 'aa{', true],
    ['x{}', 'x{}', true],
    ['[]a]', ']', true],
    ['[^\\W_]', '_', false],
    ['[^\\W_]', 'é', true],
    ['\\d', '٣', true],
    ['\\w', 'ß', true],
    ['\\s', '\u00a0', true],
    ['(?a)\\w', 'ß', false],
    ['(?i)WEB', 'web', true],
    ['(?i)[^É]', 'é', false],
    ['(?ia)k[l-m]', 'KM', true],
    ['(?ia)k', '\u212a', false],
    ['(?i)k', '\u212a', true],
    ['(?ia)é', 'É', false],
    ['(?i)ı', 'I', true],
    ['(?i:i)', 'ı', true],
    ['i', 'ı', false],
    ['(?ia)i', 'ı', false],
    ['(?i)[h-j]', 'İ', true],
    ['(?i)[^İ]', 'i', false],
    ['(?i)[^h]', 'ı', true],
    ['(?i)[𐐀z]', '𐐨', true],
    ['(?i)[𐐀z]', '𐐩', false],
    ['(?ia)[^A-Z]', 'q', false],
    ['(?a)[^\\W_]', 'é', false],
    ['(?a)[^\\W_]', 'e', true],
    ['(?a)[\\W]', 'é', true],
    ['[^\\W\\-.e]', 'e', false],
    ['[^\\W\\-.e]', 'é', true],
    ['[^\\W\\-.e]', '_', true],
    ['[^\\W\\d]', '²', true],
    ['[^\\W\\d]', '2', false],
    ['[^\\W\\w]', 'a', false],
    ['(?i:W)eb', 'wEB', false],
    ['(?P<n>a)b', 'ab', true],
    ['a(?#said)b', 'ab', true],
    ['\\u0061\\x62\\143', 'abc', true],
    ['(?s).b', '\nb', true],
    ['(?m)^a$', 'a\nb', true],
    ['.b', '😀b', true],
    ['\\bjobs', 'jobs.x', true],
    ['gr.*\\b', 'größe', true],
    ['cmd\\b.*', 'cmd.rün', true],
    ['a\\bß', 'aß', false],
    ['a\\Bß', 'aß', true],
    ['(?a)a\\bß', 'aß', true],
    ['(?a)a\\Bß', 'aß', false],
    ['(?a)\\bß', 'ß', false],
    ['ß\\b$', 'ß\n', true],
    ['ß\\b\\Z', 'ß\n', false],
    ['(?m)ß\\b$\n^\\bx', 'ß\nx', true],
    ['(ß|^\\bä)*\\b$', 'äß', true],
    ['\\B', '', false],
    ['\\b', '', false],
    ['b\\b', 'b😀', true],
    ['(alpha$|beta).*', 'alpha', true],
    ['(alpha$|beta).*', 'alphax', false],
    ['(alpha$|beta).*', 'alpha\n', true],
    ['(alpha$|beta).*', 'alpha\nx', false],
    ['(alpha$|beta).*', 'betax', true],
    ['(alpha$|beta).*', 'beta\nx', true],
    ['(alpha$|beta).*', 'beta\nx\n', false],
    ['alpha$\\nx?', 'alpha\n', true],
    ['alpha$\\nx', 'alpha\nx', false],
    ['a$b', 'ab', false],
    ['(a$)*b', 'b', true],
    ['(?!a$x?)a', 'a', false],
    ['(?!a$x?)a', 'ab', true],
    ['(?!a$x?)a', 'a\nb', true],
    ['(?!a$x?)a', 'a\nb\n', false],
  ])('%j on %j: %s', (pattern, text, expected) => {
    expect(prefix(pattern, text)).toBe(expected);
  });

  it.each([
    ['^(?!sudo_).*$', 'fred', true],
    ['^(?!sudo_).*$', 'sudo_fred', false],
    ['(?=al).*', 'alpha', true],
    ['(?=al).*', 'beta', false],
    ['(?!web|db)[a-z]+', 'db1', false],
    ['(?!a)b|a', 'a', true],
  ])('splits a look-ahead at the very start: %j on %j: %s', (pattern, text, expected) => {
    expect(prefix(pattern, text)).toBe(expected);
    expect(whole(pattern, text)).toBe(expected && whole(pattern.replace(/\(\?[!=][^)]*\)/, ''), text));
  });

  it.each([
    ['*', 'there is nothing that * could repeat'],
    ['[', 'a [ is never closed'],
    ['a\\', 'ends too early'],
    ['(', 'never closed'],
    [')', 'closes nothing'],
    ['a**', 'a repeat of a repeat'],
    ['^*a', 'an anchor cannot be repeated'],
    ['\\b?a', 'an anchor cannot be repeated'],
    ['(a)\\1', 'back-reference'],
    ['(?P<x>a)(?P=x)', 'back-reference'],
    ['a(?=b)', 'look-ahead'],
    ['(?<=a)b', 'look-behind'],
    ['a++', 'possessive'],
    ['(?>a)', 'atomic'],
    ['(?(1)a|b)', 'conditional'],
    ['(?x)a b', 'verbose'],
    ['a(?i)b', 'at the start'],
    ['(?<n>a)', "not Python's syntax"],
    ['(?U)a', 'flag U'],
    ['\\z', 'not an escape'],
    ['\\N{BULLET}', 'not supported'],
    ['\\pL', 'not an escape'],
    ['\\Qa', 'not an escape'],
    ['a{1001}', 'over 1000'],
    ['((a{100}){11})', 'counts inside of counts'],
    ['a{3,2}', 'lower bound'],
    ['[b-a]', 'runs backwards'],
    ['[a-\\d]', 'ends in a class'],
    ['(?P<a>x)(?P<a>y)', 'the name a'],
    ['a'.repeat(8193), 'longer than 8192'],
    ['a*'.repeat(1025), 'no fixed place'],
    [`.*(${'a|'.repeat(1030)})`, 'no fixed place'],
    ['(?=a)'.repeat(400), 'no fixed place'],
    ['(?au)a', 'exclude each other'],
    ['(?a)(?u)a', 'exclude each other'],
    ['(?au:a)', 'exclude each other'],
    ['(?i-i:a)', 'on and off'],
    ['(?s-sm:a)', 'on and off'],
    ['\\b'.repeat(600), 'no fixed place'],
    [`${'('.repeat(600)}a${')'.repeat(600)}`, 'nested too deeply'],
  ])('refuses %j and says why', (pattern, reason) => {
    expect(prefix(pattern, 'a')).toContain(reason);
  });
});

it.each(['(?a)(?u:a)', '(?aa)a', '(?uu)a', '(?i-s:a)', '(?u)(?a:a)'])('%j is a pattern', (pattern) => {
  expect(prefix(pattern, 'a')).toBe(true);
});

describe('an alternation of many plain words', () => {
  const names = Array.from({ length: 300 }, (_, index) => `web${index}\\.example\\.com$`);

  it('is taken, also where it is longer than other patterns may be', () => {
    const [prefixed, complete] = (['prefix', 'whole'] as const).map((mode) => {
      const made = compilePattern(names.join('|'), { mode });
      return (text: string) => made.ok && made.value.test(text);
    });
    expect(prefixed?.('web299.example.com')).toBe(true);
    expect(prefixed?.('web299.example.com.evil.net')).toBe(false);
    expect(complete?.('web7.example.com')).toBe(true);
    expect(complete?.('xweb7.example.com')).toBe(false);
  });
});

describe('a whole pattern', () => {
  it.each([
    ['admin|manager_.*', 'administrator', false],
    ['admin|manager_.*', 'manager_x', true],
    ['fred', 'fred\n', false],
    ['fred$', 'fred', true],
    ['fr.d', 'fred', true],
    ['fr.*', 'fred\nx', false],
  ])('%j on %j: %s', (pattern, text, expected) => {
    expect(whole(pattern, text)).toBe(expected);
  });

  it('refuses flags at its start, as Python does behind its anchor', () => {
    expect(whole('(?i)fred', 'FRED')).toContain('(?i)');
  });
});

describe('hostile patterns and texts', () => {
  const patterns = [
    '(a+)+$',
    '(a|a)*b',
    '(a{1,30}){1,30}',
    '(.*)*x'.repeat(50),
    '(x+x+)+y',
    '[a-z]*'.repeat(150),
    '(?:a?){500}a{500}',
    '(?:\\b.*\\B)*x'.repeat(50),
    `${'('.repeat(300)}a${')*'.repeat(300)}`,
    `${'[a-z]'.repeat(1600)}x`,
    'a|'.repeat(4000),
    `${'(?:'.repeat(400)}a${')?'.repeat(400)}x`,
  ];

  const LENGTH = 65_536;

  /** How many characters of a text of one letter are read by a pattern that was asked before: one that goes back reads some again and again. */
  function readsOf(made: ReturnType<typeof compilePattern>, letter: string, length = LENGTH): number {
    if (!made.ok) return 0;
    made.value.test(letter);
    const text = letter.repeat(length);
    // A spy would keep each of the calls.
    const own = { charCodeAt: text.charCodeAt, codePointAt: text.codePointAt };
    let reads = 0;
    Object.assign(String.prototype, {
      charCodeAt(this: string, at: number) {
        reads += 1;
        return own.charCodeAt.call(this, at);
      },
      codePointAt(this: string, at: number) {
        reads += 1;
        return own.codePointAt.call(this, at);
      },
    });
    made.value.test(text);
    Object.assign(String.prototype, own);
    return reads;
  }

  it.each(patterns.map((pattern) => [pattern.slice(0, 20), pattern]))(
    '%j… reads each character once at most, and of a text that is too long next to none',
    (_about, pattern) => {
      for (const mode of ['prefix', 'whole'] as const) {
        const made = compilePattern(pattern, { mode });
        for (const letter of ['a', 'x']) {
          expect(readsOf(made, letter)).toBeLessThanOrEqual(LENGTH + 3);
          expect(readsOf(made, letter, LENGTH + 1)).toBeLessThanOrEqual(3);
        }
      }
    },
  );

  it.each<[number, string, (count: number) => string]>([
    [500, '\\w', (count) => '\\w'.repeat(count)],
    [500, '\\w in one set', (count) => `[${'\\w'.repeat(count)}]`],
    [30, 'wide ranges with (?i)', (count) => `(?i)${'[\\x00-\\uffff]'.repeat(count)}`],
  ])('may have %i of %s, and not one more', (most, _what, make) => {
    const [fits, tooMany] = [most, most + 1].map((count) => compilePattern(make(count), { mode: 'prefix' }));
    expect([fits?.ok, tooMany?.ok === false && tooMany.error.reason]).toEqual([
      true,
      expect.stringContaining('too many of'),
    ]);
  });

  it.each<[string, number, (depth: number) => string]>([
    ['repeats', 400, (depth) => `${'(?:z'.repeat(depth)}[za]*${'|c)?'.repeat(depth)}`],
    ['branches', 500, (depth) => `${'[xz](?:'.repeat(depth)}[za]c?${'|b)'.repeat(depth)}`],
    ['branches that begin alike', 250, (depth) => `${'(?:[xz]'.repeat(depth)}[za]c?${'|[xz]b|[xz]c)'.repeat(depth)}`],
  ])('of %s that are nested deeper than the engine goes are refused where they are read', (_what, depth, make) => {
    for (const test of [prefix, whole]) {
      expect(test(make(depth), 'zzzz')).toBe('its groups are nested too deeply');
      expect(typeof test(make(100), 'zzzz')).toBe('boolean');
    }
  });

  it('are counted where they are read', () => {
    expect(readsOf(compilePattern('(a+)+$', { mode: 'prefix' }), 'a')).toBeGreaterThanOrEqual(LENGTH);
  });
});

it.each([
  ['kept', '^(web|db)\\d+\\.prod\\.example\\.com$', true],
  ['made anew, for its length', 'a|'.repeat(200), false],
  ['made anew, for its sets', '\\w'.repeat(50), false],
])('a pattern is %s', (_about, pattern, isKept) => {
  const [one, other] = [1, 2].map(() => compilePattern(pattern, { mode: 'prefix' }));
  expect(one === other).toBe(isKept);
});

describe('the longest text that is tested', () => {
  it.each([
    ['has 65,536 characters', '(a|b)+', 65_536],
    ['has 4,096 where a word boundary is asked for', '\\b(a|b)+', 4096],
  ])('%s: %j', (_about, pattern, most) => {
    for (const test of [prefix, whole])
      expect([most, most + 1].map((length) => test(pattern, 'a'.repeat(length)))).toEqual([true, false]);
  });

  it.each([
    ['(?!.*(rm|dd)).*', ' rm', 65_536],
    ['(?!.*r.m).*', ' rxm', 65_536],
    ['(?!.*\\brm\\b).*', ' rm', 4096],
  ])('is the longest that is known not to hold something: %j', (pattern, held, most) => {
    for (const test of [prefix, whole]) {
      expect([most, most + 1].map((length) => test(pattern, 'a'.repeat(length)))).toEqual([true, false]);
      for (const length of [most, most + 1]) expect(test(pattern, 'a'.repeat(length) + held)).toBe(false);
    }
  });
});
