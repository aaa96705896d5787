import { load } from 'js-yaml';
import { Float, float, type Value } from '@natrium/model';
import { plainJson } from './json.js';
import type { OutputOptions } from './outputter.js';
import { outputter, outputterNames, wantsAll } from './registry.js';

function render(name: string, value: Value, options: Partial<OutputOptions> = {}): string {
  const chosen = outputter(name);
  if (chosen === undefined) throw new Error(`no outputter ${name}`);
  return chosen(value, { color: false, ...options });
}

describe('outputter', () => {
  it('knows its names and no other', () => {
    expect(outputterNames()).toContain('nested');
    expect(outputterNames().map((name) => typeof outputter(name))).toEqual(outputterNames().map(() => 'function'));
    expect(outputter('fancy')).toBeUndefined();
    expect(outputter('toString')).toBeUndefined();
  });

  it('says which format needs all answers at once', () => {
    expect(wantsAll('table')).toBe(true);
    expect(wantsAll('json')).toBe(false);
  });

  it('adds no colour to any format unless asked', () => {
    const value = { minions: ['a'], minions_pre: { b: 'aa' } };
    for (const name of outputterNames()) expect(render(name, value)).not.toContain('\u001b');
  });
});

describe('json', () => {
  it('indents by four', () => {
    expect(render('json', { a: [1, { b: null }], c: {}, d: [] })).toBe(
      '{\n    "a": [\n        1,\n        {\n            "b": null\n        }\n    ],\n    "c": {},\n    "d": []\n}',
    );
  });

  it('takes another indent, and one line when it is negative', () => {
    expect(render('json', { a: [1] }, { indent: 1 })).toBe('{\n "a": [\n  1\n ]\n}');
    expect(render('json', { a: [1, 2], b: true }, { indent: -1 })).toBe('{"a": [1, 2], "b": true}');
  });

  it('keeps the order of keys, the point of a float and the digits of a big integer', () => {
    const value = { b: float(1), a: 2n ** 70n, c: 0.5, d: 1 };
    expect(render('json', value, { indent: -1 })).toBe('{"b": 1.0, "a": 1180591620717411303424, "c": 0.5, "d": 1}');
  });

  it('writes what JSON has no word for as Python does', () => {
    expect(render('json', [new Float(NaN), new Float(Infinity), new Float(-Infinity)], { indent: -1 })).toBe(
      '[NaN, Infinity, -Infinity]',
    );
  });

  it('is read in any language where it is plain: what JSON has no word for is null, and U+2028 and U+2029 are escaped', () => {
    const value = {
      'a\u2028': [new Float(NaN), new Float(-Infinity), float(1), 2n ** 70n, 'b\u2029\u009b', null, {}, []],
    };
    expect(plainJson(value)).toBe(
      '{"a\\u2028": [null, null, 1.0, 1180591620717411303424, "b\\u2029\\u009b", null, {}, []]}',
    );
  });

  it('escapes every terminal control, and reads back as it was', () => {
    const value = { 'a\u009b': '\u001b[2J\u007f\u009b2J\u00e9' };
    const shown = render('json', value, { indent: -1 });
    expect(shown).toBe('{"a\\u009b": "\\u001b[2J\\u007f\\u009b2Jé"}');
    expect(JSON.parse(shown)).toEqual(value);
  });

  it('gives bare values as they are', () => {
    expect(render('json', 'a"\n')).toBe('"a\\"\\n"');
    expect(render('json', true)).toBe('true');
  });
});

describe('jsonl', () => {
  it('writes one compact object a line', () => {
    expect(render('jsonl', { a: { x: 1 }, b: [1] })).toBe('{"a": {"x": 1}}\n{"b": [1]}');
    expect(render('jsonl', [{ x: 1 }, 2])).toBe('{"x": 1}\n2');
    expect(render('jsonl', 'x')).toBe('"x"');
  });
});

describe('marks that reorder text, with which one value would change how others look on a terminal', () => {
  const value = { 'k\u2066': 'x\u202ey', lines: 'a\n\u202eb\n', plain: 'é日' };

  it('are escaped in json, which reads as the same', () => {
    const text = render('json', value, { indent: -1 });
    expect(text).toBe('{"k\\u2066": "x\\u202ey", "lines": "a\\n\\u202eb\\n", "plain": "é日"}');
    expect(JSON.parse(text)).toEqual(value);
  });

  it('are escaped in yaml, which reads as the same', () => {
    const text = render('yaml', value);
    expect(text).toBe('"k\\u2066": "x\\u202ey"\nlines: "a\\n\\u202eb\\n"\nplain: é日');
    expect(load(text)).toEqual(value);
    expect(render('yaml', 'x\u202ey')).toBe('"x\\u202ey"');
  });
});

describe('yaml', () => {
  it('is block style with sorted keys and lists at the indent of their key', () => {
    expect(render('yaml', { alpha: true })).toBe('alpha: true');
    expect(render('yaml', { b: [1, 'x'], a: { d: null, c: 'y\nz\n' } })).toBe(
      'a:\n  c: |\n    y\n    z\n  d: null\nb:\n- 1\n- x',
    );
  });

  it('quotes texts that would read as something else', () => {
    const value = { a: 'yes', b: '010', c: '12:30', d: '2001-01-01', e: '1.0', f: '', g: 'null', h: '1e3' };
    expect(render('yaml', value)).toBe(
      "a: 'yes'\nb: '010'\nc: '12:30'\nd: '2001-01-01'\ne: '1.0'\nf: ''\ng: 'null'\nh: '1e3'",
    );
  });

  it('keeps floats and big integers', () => {
    expect(
      render('yaml', { a: float(1), b: 1.5, c: 2n ** 70n, d: new Float(NaN), e: new Float(-Infinity), f: 3 }),
    ).toBe('a: 1.0\nb: 1.5\nc: 1180591620717411303424\nd: .nan\ne: -.inf\nf: 3');
  });

  it('has a point in each float and a quote around what divides documents, for readers of YAML 1.1', () => {
    expect(render('yaml', { a: new Float(1e21), b: 1e-7, c: 1.5e300 })).toBe('a: 1.0e+21\nb: 1.0e-07\nc: 1.5e+300');
    expect(render('yaml', { '--- a': 1, '---b': 2, '...': 3 })).toBe("'--- a': 1\n---b: 2\n'...': 3");
  });

  it.each<[string, Value, string]>([
    ['blanks at its end', 'x\nPassword: ', '"x\\nPassword: "'],
    ['a blank line at its end', 'x\n \n', '"x\\n \\n"'],
    ['two line ends at its end', { a: 'x\n\n' }, 'a: "x\\n\\n"'],
    ['a wide blank at its end', { a: 'x\u3000' }, "a: 'x\u3000'"],
    ['a bare text of several lines that begins with a blank', ' x\ny', '" x\\ny"'],
    ['such a text behind line ends', '\n\n x\ny', '"\\n\\n x\\ny"'],
  ])('quotes %s, which would be lost or misread', (_, value, text) => {
    expect(render('yaml', value)).toBe(text);
  });

  it('has other texts of several lines as a block', () => {
    expect(render('yaml', { a: ' x\ny', b: 'x\n' })).toBe('a: |2-\n   x\n  y\nb: |\n  x');
    expect(render('yaml', 'x\n y')).toBe('|-\n  x\n   y');
  });

  it('does not fold a long line, and takes the indent as it is, but at least 1', () => {
    const long = 'word '.repeat(40) + 'end';
    expect(render('yaml', { a: long })).toBe(`a: ${long}`);
    const indents = [0, 1, 3, 12].map((indent) => render('yaml', { a: { b: 1 } }, { indent }));
    expect(indents).toEqual([1, 1, 3, 12].map((blanks) => `a:\n${' '.repeat(blanks)}b: 1`));
  });

  it('sorts keys by character', () => {
    expect(render('yaml', { '😀': 1, '！': 2, b: 3, ab: 4, a: 5 })).toBe('a: 5\nab: 4\nb: 3\n！: 2\n😀: 1');
  });

  it('lets no terminal control through', () => {
    expect(render('yaml', { a: '\u001b[2J\u009b' })).toBe('a: "\\e[2J\\x9B"');
  });

  it('repeats a value that occurs twice, without anchors', () => {
    const same = { x: 1 };
    expect(render('yaml', { a: same, b: same })).toBe('a:\n  x: 1\nb:\n  x: 1');
  });

  it('writes one line when the indent is negative', () => {
    expect(render('yaml', { a: [1, 2] }, { indent: -1 })).toBe('{a: [1, 2]}');
  });

  it('quotes in that line what PyYAML would read as keys there, and not elsewhere', () => {
    const value = { '?k': ['::1', 'fe80::1', '?a', 'a?'], ':k': { a: '\u009b?' } };
    expect(render('yaml', value, { indent: -1 })).toBe(`{':k': {a: "\\x9B?"}, '?k': ['::1', fe80::1, '?a', 'a?']}`);
    expect(render('yaml', ['::1', '?a'])).toBe('- ::1\n- ?a');
  });
});

describe('txt', () => {
  it('repeats the id for each line and spells the rest as Python does', () => {
    expect(render('txt', { a: 'x\ny', b: true, c: { k: 'v' }, d: '' })).toBe("a: x\na: y\nb: True\nc: {'k': 'v'}");
  });

  it('is text as well', () => {
    expect(render('text', { a: 'x\ny' })).toBe('a: x\na: y');
  });

  it('prints bare values without an id', () => {
    expect(render('txt', 'x\ny')).toBe('x\ny');
    expect(render('txt', [1, 'a'])).toBe("[1, 'a']");
    expect(render('txt', true)).toBe('True');
  });

  it('breaks a long bare list as pprint does, and no list behind an id', () => {
    const list = ['x'.repeat(50), 'y'.repeat(50)];
    const shown = { bare: `['${'x'.repeat(50)}',\n '${'y'.repeat(50)}']`, listed: `['${list.join("', '")}']` };
    expect(render('txt', list, { indent: 8 })).toBe(shown.bare);
    expect(render('txt', { a: list })).toBe(`a: ${shown.listed}`);
  });
});

describe('raw and pprint', () => {
  it("print Python's repr", () => {
    expect(render('raw', { alpha: true })).toBe("{'alpha': True}");
    expect(render('raw', { alpha: '\u001b[2J' })).toBe("{'alpha': '\\x1b[2J'}");
    expect(render('pprint', { alpha: [null, float(1)] })).toBe("{'alpha': [None, 1.0]}");
  });
});

describe('raw', () => {
  it('prints a bare text without quotes, and without what a terminal obeys', () => {
    expect(render('raw', 'all\nis\twell')).toBe('all\nis\twell');
    expect(render('raw', 'all\u001b[2J\u009bis well')).toBe('all?[2J?is well');
  });
});

describe('quiet', () => {
  it('prints nothing', () => {
    expect(render('quiet', { a: 1 })).toBe('');
  });
});

describe('newline_values_only', () => {
  it('drops the ids and gives each item of a list its line', () => {
    expect(render('newline_values_only', { a: ['127.0.0.1', '10.0.0.1'], b: 8, c: 'x' })).toBe(
      '127.0.0.1\n10.0.0.1\n8\nx',
    );
  });

  it('gives bare values in the same way, also those of a bare list', () => {
    expect(render('newline_values_only', ['web1', 'web2'])).toBe('web1\nweb2');
    expect(render('newline_values_only', 'x')).toBe('x');
  });

  it('keeps the line of an empty item, and the line end of a text', () => {
    expect(render('newline_values_only', { a: ['a', '', 'b'], b: '', c: 'x\n', d: 'y' })).toBe('a\n\nb\n\nx\n\ny');
  });
});

describe('no_return', () => {
  it('prints the id and the sentence, but no value that is not text', () => {
    expect(render('no_return', { alpha: true })).toBe('alpha:');
    expect(render('no_return', { alpha: 'gone\n\nsee x' })).toBe('alpha:\n    gone\n    \n    see x');
  });

  it('is red on a terminal, the id in the colour of ids', () => {
    expect(render('no_return', { alpha: 'gone' }, { color: true })).toBe(
      '\u001b[0;36malpha\u001b[0;0m:\n    \u001b[0;31mgone\u001b[0;0m',
    );
  });
});

describe('key', () => {
  it('heads each state, accepted first, then denied, unaccepted, rejected', () => {
    const value = { minions_rejected: [], minions_pre: ['c'], minions: ['a', 'b'], minions_denied: [] };
    expect(render('key', value)).toBe('Accepted Keys:\na\nb\nDenied Keys:\nUnaccepted Keys:\nc\nRejected Keys:');
  });

  it('shows fingerprints after two blanks, local keys first', () => {
    expect(render('key', { minions: { a: 'aa:bb' }, local: { root: 'cc:dd' } })).toBe(
      'Local Keys:\nroot:  cc:dd\nAccepted Keys:\na:  aa:bb',
    );
  });
});

/** Of two characters: the letter, and its accent. */
const E_ACUTE = 'e\u0301';

describe('table', () => {
  it('has its columns one below the other also where characters are wide, or none of their own', () => {
    const rows = { 日本: { a: 'x' }, '👍🏽': { a: 'x' }, [E_ACUTE]: { a: 'x' }, web1: { a: 'x' } };
    expect(render('table', rows).split('\n').sort()).toEqual(
      ['      a', '----  -', 'web1  x', `${E_ACUTE}     x`, '日本  x', '👍🏽    x'].sort(),
    );
  });

  it('draws one row a minion and one column a field', () => {
    expect(render('table', { web1: { up: true, load: 0.5 }, db1: { up: false } })).toBe(
      '      up     load\n----  -----  ----\ndb1   False\nweb1  True   0.5',
    );
  });

  it('draws a list of maps under its id, and scalars without a heading', () => {
    expect(render('table', { m: [{ a: 1 }, { a: 2 }] })).toBe('   a\n-  -\nm  1\nm  2');
    expect(render('table', { web1: true, db1: 'x\ny' })).toBe('db1   x ⏎ y\nweb1  True');
  });

  it('has 200,000 rows where there are as many: more than one call takes as arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => ({ a: n }));
    expect(render('table', { m: rows }).split('\n')).toHaveLength(200_002);
  });

  it('of more than a million cells is shown as nested', () => {
    const apart = (count: number) => ({ m: Array.from({ length: count }, (_, n) => ({ [`k${String(n)}`]: n })) });
    expect(render('table', apart(1000))).toBe(render('nested', apart(1000)));
    expect(render('table', apart(900)).split('\n')).toHaveLength(902);
  });
});
