import { Float, type Value } from '@natrium/model';
import fc from 'fast-check';
import { quickest } from '@natrium/testing';
import { yamlify } from './yamlify.js';

/** Rules in words, each with the words that show it; the corpus (compat/cases/cli_args.jsonl) has many more. */
const RULES: readonly (readonly [rule: string, words: readonly (readonly [string, Value])[]])[] = [
  [
    'blank words and document marks stay text',
    [
      ['', ''],
      ['  ', '  '],
      [' --- ', ' --- '],
      ['...', '...'],
      ['... x', '... x'],
    ],
  ],
  [
    'digits with underscores stay text at the top, and are numbers within brackets',
    [
      ['1_000', '1_000'],
      ['[1_000]', [1000]],
      ['1_0.5', 10.5],
    ],
  ],
  [
    'a whole number has 400 digits at most, without its sign and however it is written; one with more stays text',
    [
      ['9'.repeat(400), 10n ** 400n - 1n],
      [`-${'9'.repeat(400)}`, 1n - 10n ** 400n],
      [`[+${'9'.repeat(400)}]`, [10n ** 400n - 1n]],
      ['9'.repeat(401), '9'.repeat(401)],
      [`-${'9'.repeat(401)}`, `-${'9'.repeat(401)}`],
      [`0x${'f'.repeat(332)}`, 16n ** 332n - 1n],
      [`0x${'f'.repeat(333)}`, `0x${'f'.repeat(333)}`],
      [`[!!int 0x${'f'.repeat(333)}]`, `[!!int 0x${'f'.repeat(333)}]`],
    ],
  ],
  [
    'a word with a tab or a line break stays text',
    [
      ['a\tb', 'a\tb'],
      ['[1,\n2]', '[1,\n2]'],
      ['a\u0085b', 'a\u0085b'],
    ],
  ],
  [
    'None, null, Null, NULL and ~ are null; none and NONE are text',
    [
      ['None', null],
      ['Null', null],
      ['~', null],
      ['none', 'none'],
      ['NONE', 'NONE'],
      ['[None]', ['None']],
    ],
  ],
  [
    'yes, no, on, off, true, false are booleans in three spellings; y, n and tRue are text',
    [
      ['yes', true],
      ['Off', false],
      ['NO', false],
      ['y', 'y'],
      ['N', 'N'],
      ['tRue', 'tRue'],
    ],
  ],
  [
    'within brackets a key is left out only behind a question mark',
    [
      ['{a: b, : c}', '{a: b, : c}'],
      ['{ : c}', '{ : c}'],
      ['{a: b, ? : c}', { a: 'b', null: 'c' }],
      ['{"a, : b": c}', { 'a, : b': 'c' }],
    ],
  ],
  [
    'a lone exclamation mark has a word read as a plain one, quotes or not; an anchor’s name ends at the first mark',
    [
      ['! 12', 12],
      ['[! on, ! "1"]', [true, 1]],
      ['! "1"', 1],
      ['! "1a"', '1a'],
      ['! "a: b"', 'a: b'],
      ['[! "a, b", "1"]', ['a, b', '1']],
      ["! 'it''s'", "it's"],
      ['! "\\x31"', 1],
      ["{a: ! 'true'}", { a: true }],
      ['{a: ! }', { a: '' }],
      ['[! , a]', ['', 'a']],
      ['&a !', ''],
      ['! ', ''],
      ['[! ]', ['']],
      ['! ""', null],
      ['! &a "1"', 1],
      ['! &a', ''],
      ['&a ! "1"', 1],
      ['! "12:30"', 750],
      ['{! "1": x}', { 1: 'x' }],
      ['!!str "1"', '1'],
      ['!!str 1', '1'],
      ['&a:b', ':b'],
      ['&a?b', '?b'],
    ],
  ],
  [
    'a leading zero does not make a number octal, unless it is signed',
    [
      ['010', 10],
      ['000', 0],
      ['0o17', '0o17'],
      ['08', '08'],
      ['-010', -8],
      ['[+010, 0_7]', [8, 7]],
    ],
  ],
  [
    'hexadecimal, binary and base 60 are numbers',
    [
      ['0x1F', 31],
      ['-0b11', -3],
      ['12:30', 750],
      ['-1:30', -90],
      ['1:60', '1:60'],
      ['00:10', '00:10'],
      ['12:30.5', 750.5],
    ],
  ],
  [
    'an exponent needs a point and a sign',
    [
      ['1e3', '1e3'],
      ['1.0e3', '1.0e3'],
      ['1.0e+3', new Float(1000)],
      ['1.5e-3', 0.0015],
    ],
  ],
  [
    'a float that equals an integer stays a float',
    [
      ['1.', new Float(1)],
      ['-0.0', new Float(-0)],
      ['.inf', new Float(Infinity)],
      ['-0', 0],
      ['1.5', 1.5],
      ['1.5e+400', new Float(Infinity)],
    ],
  ],
  [
    'an integer beyond 2^53 keeps every digit',
    [
      ['9007199254740993', 9007199254740993n],
      ['9007199254740991', 9007199254740991],
    ],
  ],
  [
    'dates stay text, also within brackets',
    [
      ['2012-01-02', '2012-01-02'],
      ['[2012-01-02]', ['2012-01-02']],
    ],
  ],
  [
    'lists and mappings count only in brackets that begin the word',
    [
      ['[a, {b: 1}]', ['a', { b: 1 }]],
      [' [a]', ' [a]'],
      ['- a', '- a'],
      ['a: b', 'a: b'],
      ['{a: 1} ', { a: 1 }],
    ],
  ],
  [
    'with a # only what is neither text nor null is taken',
    [
      ['a # b', 'a # b'],
      ['5 # b', 5],
      ['# b', '# b'],
      ['[1]#b', [1]],
      ["'a # b'", "'a # b'"],
      ['a: b # c', { a: 'b' }],
    ],
  ],
  [
    'quotes and surrounding blanks go',
    [
      ['"a"', 'a'],
      [" 'it''s' ", "it's"],
      [' foo', 'foo'],
      ['"1"', '1'],
    ],
  ],
  [
    '| and ! stay text, > is empty, &a is null',
    [
      ['|', '|'],
      ['!', '!'],
      ['>', ''],
      ['&a', null],
      ['! x', 'x'],
    ],
  ],
  [
    'a key given twice leaves the word as it is',
    [
      ['{a: b, a: c}', '{a: b, a: c}'],
      ['{1: a, 1: b}', '{1: a, 1: b}'],
    ],
  ],
  [
    '<< merges and = is a key; as values they leave the word as it is',
    [
      ['{<<: {a: 1}, b: 2}', { a: 1, b: 2 }],
      ['{=: 1}', { '=': 1 }],
      ['<<', '<<'],
      ['[<<]', '[<<]'],
      ['[=]', '[=]'],
    ],
  ],
  [
    'what only YAML 1.2 accepts is text',
    [
      ['[a:]', '[a:]'],
      ['[: a]', '[: a]'],
      ['{:a}', '{:a}'],
      ['&a/b c', '&a/b c'],
      ['[!]', '[!]'],
      ['!!map', '!!map'],
    ],
  ],
  [
    'what only YAML 1.1 accepts is read',
    [
      ['[-]', ['-']],
      ['{a: -}', { a: '-' }],
      ['{?a : b}', { a: 'b' }],
      ['{"a":1}', { a: 1 }],
    ],
  ],
  [
    'kinds that a value cannot have leave the word as it is',
    [
      ['!!set {a}', '!!set {a}'],
      ['[!!binary aGk=]', '[!!binary aGk=]'],
      ['[0b_]', '[0b_]'],
    ],
  ],
  ['keys become text', [['{2: a, true: b, null: c, 1.5: d}', { '2': 'a', true: 'b', null: 'c', '1.5': 'd' }]]],
];

describe('yamlify', () => {
  it.each(RULES)('%s', (_rule, words) => {
    for (const [word, value] of words) expect([word, yamlify(word)]).toStrictEqual([word, value]);
  });

  it('leaves everything that is not text as it is', () => {
    for (const value of [1, true, null, 1.5, ['2'], { a: '1' }]) expect(yamlify(value)).toBe(value);
  });

  it('has keys that are digits before the others, in their own order', () => {
    expect(Object.keys(yamlify('{b: x, 10: x, true: x, 9: x}') as object)).toEqual(['9', '10', 'b', 'true']);
  });

  it('keeps a key named __proto__ an ordinary key', () => {
    const value = yamlify('{__proto__: {polluted: yes}}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('answers every text, whatever it is', () => {
    const mark = fc.constantFrom(...Array.from('[]{},:?-#&*!|>"\'%@` =<~\n'), '<<', 'a', '1', '!!int ');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(mark).map((marks) => marks.join('')),
        ),
        (word) => {
          expect(() => yamlify(word)).not.toThrow();
        },
      ),
      { numRuns: 500, seed: 8 },
    );
  });

  it('answers hostile words as text, in little time', () => {
    const bomb = `[&a [x,x,x,x,x,x,x,x,x,x],${'bcdefgh'
      .split('')
      .map(
        (name, index) =>
          `&${name} [${Array(10)
            .fill(`*${'abcdefg'[index] ?? ''}`)
            .join(',')}]`,
      )
      .join(',')}]`;
    const words = [
      bomb,
      '&a [*a]',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      '['.repeat(100_000),
      `[${'-,'.repeat(20_000)}]`,
      `[${'9'.repeat(1000)}]`,
      `[${'a,'.repeat(60_000)}a]`,
      ...[' ', '\t', '\u2028'].map((blank) => `a${blank.repeat(60_000)}b`),
      `{a: ${' '.repeat(60_000)}b}`,
    ];
    const ms = quickest(() => {
      for (const word of words) yamlify(word);
    });
    expect(ms).toBeLessThan(2000);
    expect(yamlify(bomb)).toBe(bomb);
    expect(yamlify('&a [*a]')).toBe('&a [*a]');
  });
});
