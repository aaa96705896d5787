/** Rules of spec/config.md#words: words that the original's parser refuses, or reads otherwise than a newer one. */
import { isList, type Value } from '@natrium/model';
import { loadYaml } from './load-yaml.js';
import { yamlify } from './yamlify.js';

const RULES: readonly (readonly [rule: string, words: readonly (readonly [string, Value])[]])[] = [
  [
    'behind a blank --- begins a word, without one a document',
    [
      [' --- a', '--- a'],
      ['  --- 5', '--- 5'],
      [' --- [1]', '--- [1]'],
      [' --- --- a', '--- --- a'],
      [' --- a: b # c', { '--- a': 'b' }],
      [' --- a: *_', ' --- a: *_'],
      [' --- a # b', ' --- a # b'],
      ['! --- a', '--- a'],
      ['--- 5', 5],
    ],
  ],
  [
    'a comment may hold what looks like a key left out, the value may not',
    [
      ['5 # a,:b', 5],
      ['true # see {:x}', true],
      ['[1] # ,:', [1]],
      ['{a: "# ,:"}', { a: '# ,:' }],
      ['{a: b, : c} # d', '{a: b, : c} # d'],
    ],
  ],
  [
    'an escape that names no character leaves the word as it is, also one of a pair',
    [
      ['"\\ud800"', '"\\ud800"'],
      ['["\\uDFFF"]', '["\\uDFFF"]'],
      ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
      ['"\\U00110000"', '"\\U00110000"'],
      ['{"\\ud800": 1}', '{"\\ud800": 1}'],
      ['"\\U0001f600 \\ud7ff"', '😀 \ud7ff'],
      ['"\\\\ud800"', '\\ud800'],
      ["'\\ud800'", '\\ud800'],
    ],
  ],
  [
    'a character that cannot be printed leaves the word as it is, also within a comment',
    ['1 # a\u007fb', '[1] # \u000b', 'yes # \u001c', '1.5 # \uffff', '1 # \ud800', '"a\u0001"'].map((word) => [
      word,
      word,
    ]),
  ],
  [
    'stays text where only the original reads it',
    ['{?}', '[?,]', '[? ]]', '{&a:1.}', '{! :a}'].map((word) => [word, word]),
  ],
  [
    'a bracket straight behind the name of an anchor leaves the word as it is',
    [
      ['&a[b]', '&a[b]'],
      ['[&a[b]]', '[&a[b]]'],
      ['[&a{b}]', '[&a{b}]'],
      ['{a: &x{b: c}}', '{a: &x{b: c}}'],
      ['{a: &x {b: c}}', { a: { b: 'c' } }],
      ['[&a [b]]', [['b']]],
      ['{b: &a}', { b: null }],
      ['[&a, b]', [null, 'b']],
    ],
  ],
  [
    'a key that is there twice leaves the word as it is, whatever is in the key',
    [`{"#": 1, "#": 2}`, `{'#a': 1, '#a': 2}`, `{'-,': 1, '-,': 2}`, `[{"-]": 1, "-]": 2}]`].map((word) => [
      word,
      word,
    ]),
  ],
  [
    'a bare ! before a block without lines is null, as before nothing in quotes',
    [
      ['! |', null],
      [' !  >-', null],
      ['! ""', null],
      ['! | # a', '! | # a'],
      ['- ! |', '- ! |'],
    ],
  ],
  [
    'the tag that Python 2 wrote before text means text',
    [
      ['!!python/unicode x', 'x'],
      ["[!!python/unicode '1']", ['1']],
      ['!!python/tuple [1]', '!!python/tuple [1]'],
    ],
  ],
  [
    'others may stand in a comment',
    [
      ['1 # é\u00a0😀', 1],
      ['[1] # \ufffd', [1]],
    ],
  ],
];

describe('a word of YAML 1.1', () => {
  it.each(RULES)('%s', (_rule, words) => {
    for (const [word, value] of words) expect([word, yamlify(word)]).toStrictEqual([word, value]);
  });

  it('is mended as often as needed up to 64 KiB; a longer one only while a mebibyte is parsed for it, and else stays text', () => {
    const word = (mends: number, length: number) => {
      const own = `[${'! "1", '.repeat(mends)}`;
      return `${own}${'a,'.repeat((length - own.length) / 2)}b]`;
    };
    const read = [word(16, 65_000), word(3, 250_000), word(6, 250_000)].map(yamlify);
    expect(read.map(isList)).toEqual([true, true, false]);
  });

  it('has a file refused for such an escape, with its place', () => {
    expect(loadYaml('a: 1\nb: "x\\ud800"\n', 'f')).toEqual({
      ok: false,
      error: { file: 'f', line: 2, column: 6, reason: '\\ud800 names no character' },
    });
  });
});
