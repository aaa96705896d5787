import { float, type Value } from '@natrium/model';
import { pprint } from './pprint.js';

/** What `pprint.pformat` of Python 3.11 printed: value, indent, lines. */
const RECORDED: readonly (readonly [Value, number | undefined, readonly string[]])[] = [
  [{ b: 1, a: { d: null, c: float(1.5) } }, undefined, ["{'a': {'c': 1.5, 'd': None}, 'b': 1}"]],
  ['short', undefined, ["'short'"]],
  [
    {
      saltmine: {
        foo: { bar: 'baz', list: ['Hello', 'World'], dictionary: { def: 456, abc: 123 } },
        '10': true,
        '9': 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      },
    },
    undefined,
    [
      "{'saltmine': {'10': True,",
      "              '9': 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',",
      "              'foo': {'bar': 'baz',",
      "                      'dictionary': {'abc': 123, 'def': 456},",
      "                      'list': ['Hello', 'World']}}}",
    ],
  ],
  [
    [
      'word word word word word word word word word word end',
      'line one\nline two\r\nyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
      '',
    ],
    undefined,
    [
      "['word word word word word word word word word word end',",
      " 'line one\\n'",
      " 'line two\\r\\n'",
      " 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',",
      " '']",
    ],
  ],
  [
    'top level top level top level top level top level top level top level top level top level top level top level top level ',
    undefined,
    [
      "('top level top level top level top level top level top level top level top '",
      " 'level top level top level top level top level ')",
    ],
  ],
  [
    { a: ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy', {}] },
    4,
    [
      "{   'a': [   'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',",
      "             'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',",
      '             {}]}',
    ],
  ],
  [
    { kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk: '' },
    undefined,
    ["{'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk': ''}"],
  ],
  [
    {
      eth0: 'it\'s "日本語" it\'s "日本語" it\'s "日本語" it\'s "日本語" it\'s "日本語" ',
      z: [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
        [],
      ],
    },
    undefined,
    [
      '{\'eth0\': \'it\\\'s "日本語" it\\\'s "日本語" it\\\'s "日本語" it\\\'s "日本語" it\\\'s "日本語" \',',
      " 'z': [[0,",
      '        1,',
      '        2,',
      '        3,',
      '        4,',
      '        5,',
      '        6,',
      '        7,',
      '        8,',
      '        9,',
      '        10,',
      '        11,',
      '        12,',
      '        13,',
      '        14,',
      '        15,',
      '        16,',
      '        17,',
      '        18,',
      '        19,',
      '        20,',
      '        21,',
      '        22,',
      '        23,',
      '        24,',
      '        25,',
      '        26,',
      '        27,',
      '        28,',
      '        29],',
      '       []]}',
    ],
  ],
  [
    [
      `\ufeffname,value ${'x'.repeat(30)}\ufeff and more words after it ${'y'.repeat(30)}`,
      `${'a'.repeat(50)}\u001c${'b'.repeat(30)}\u001fc`,
      `${'a'.repeat(40)}\u001f${'b'.repeat(20)}\u001f${'c'.repeat(20)}`,
    ],
    undefined,
    [
      "['\\ufeffname,value xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\ufeff and more words after '",
      " 'it yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',",
      " 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\x1c'",
      " 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\\x1fc',",
      " 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\x1fbbbbbbbbbbbbbbbbbbbb\\x1f'",
      " 'cccccccccccccccccccc']",
    ],
  ],
];

describe('pprint', () => {
  it.each(RECORDED)('prints %j with the indent %s as Python does', (value, indent, lines) => {
    expect(pprint(value, { color: false, ...(indent === undefined ? {} : { indent }) }).split('\n')).toEqual(lines);
  });

  it('takes no notice of a negative indent', () => {
    expect(pprint({ a: ['x'.repeat(50), 'y'.repeat(50)] }, { color: false, indent: -1 })).toBe(
      `{'a': ['${'x'.repeat(50)}',\n       '${'y'.repeat(50)}']}`,
    );
  });
});
