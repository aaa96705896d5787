import { Float, type Value } from '@natrium/model';
import { BadRequestException, NotAcceptableException } from '@nestjs/common';
import { lowstates, readBody } from './request-body.js';

const read = (type: string | undefined, text: string) => readBody(type, Buffer.from(text));

function sentenceOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (cause) {
    return cause instanceof BadRequestException ? cause.message : '';
  }
}

describe('a body', () => {
  it.each([
    ['application/json', '{"client":"local","arg":["1"]}', { client: 'local', arg: ['1'] }],
    ['application/json; charset=utf-8', '[1]', [1]],
    [
      'application/json',
      '[20261123005056271607, 1.0, 1e2, 0.5, 7]',
      [20261123005056271607n, new Float(1), new Float(100), 0.5, 7],
    ],
    ['text/plain', '20261123005056271607', 20261123005056271607n],
    ['text/plain;charset=UTF-8', '{"a":1}', { a: 1 }],
    ['text/plain', 'no JSON', 'no JSON'],
    ['application/x-yaml', 'a: [1, yes]', { a: [1, true] }],
    ['text/yaml', '- a: b', [{ a: 'b' }]],
    ['application/x-www-form-urlencoded', 'fun=x&arg=1', { fun: 'x', arg: [1] }],
    ['application/x-www-form-urlencoded', 'arg=1&arg={a: 2}&arg=k=v', { arg: [1, { a: 2 }, 'k=v'] }],
    ['application/x-www-form-urlencoded', 'tgt=1&tgt=2&kwarg={a: 1}', { tgt: ['1', '2'], kwarg: { a: 1 } }],
    [undefined, 'a=b+c%20d', { a: 'b c d' }],
    [undefined, 'arg=&timeout=&token=&kwarg=&batch&=&tgt=+&fun=x', { tgt: ' ', fun: 'x' }],
    [undefined, 'arg=&arg=1&tgt=a&tgt=', { arg: [1], tgt: 'a' }],
    [undefined, 'arg=""', { arg: [''] }],
    [undefined, 'timeout=', {}],
  ])('of the type %s, %s, is read', (type, text, value) => {
    expect(read(type, text)).toEqual(value);
  });

  it('of a form has the ids of a large list as so many fields of one name, as clients send it', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `m${String(index)}`);
    const form = `tgt_type=list&${ids.map((id) => `tgt=${id}`).join('&')}`;
    expect(read('application/x-www-form-urlencoded', form)).toEqual({ tgt_type: 'list', tgt: ids });
  });

  it.each([['{"client":"local","tgt":"a=b"}'], [' \n[{"client":"local"}]']])(
    'of JSON that came as a form, as curl sends it, is refused with what is missing: %s',
    (text) => {
      for (const type of ['application/x-www-form-urlencoded', undefined]) {
        const sentence = sentenceOf(() => read(type, text));
        expect(sentence).toMatch(/looks like JSON.*Content-Type: application\/json/);
        expect(sentence).not.toContain('client');
      }
    },
  );

  it('of JSON that came as a form is told as it came where nobody acts on it', () => {
    expect(readBody(undefined, Buffer.from('{"a":1}'), 'any')).toEqual({});
  });

  it('that is empty is none', () => {
    expect(read('application/json', '')).toBeUndefined();
  });

  it.each([
    ['application/json', '{'],
    ['application/json', ''.padEnd(200, '[')],
    ['application/json', `${'['.repeat(70)}1${']'.repeat(70)}`],
    ['application/json', '{"__proto__": {"a": 1}}'],
    ['application/json', '"\\ud800"'],
    ['application/x-yaml', 'a: [1'],
    ['application/x-yaml', `a: &a [x, x, x, x, x, x, x, x]\nb: &b [${'*a, '.repeat(99)}]\nc: &c [${'*b, '.repeat(99)}]\nd: [${'*c, '.repeat(99)}]`],
    ['application/json', `[${'9'.repeat(401)}]`],
    ['application/x-www-form-urlencoded', 'a=1&'.repeat(10_001)],
    ['application/x-www-form-urlencoded', 'a=&'.repeat(10_001)],
    ['application/x-www-form-urlencoded', Array.from({ length: 1001 }, (_, i) => `a${String(i)}=1`).join('&')],
    ['application/x-www-form-urlencoded', '__proto__=1&username=x'],
  ])('of the type %s that is malformed or costs too much is refused (%#)', (type, text) => {
    expect(() => read(type, text)).toThrow(BadRequestException);
  }); // prettier-ignore

  const DEEP = `{"kwarg": ${'{"a":'.repeat(60)}1${'}'.repeat(61)}`;
  it.each([
    ['application/json', '{"password": secret}', 'Invalid JSON document'],
    ['application/json', `[${DEEP}]`, 'The JSON document is refused: more than 60 levels at [0].kwarg.a.a.a.a.a.a…'],
    ['application/json', `${'['.repeat(70)}1${']'.repeat(70)}`, 'The JSON document is refused: nested deeper than 64 levels (1:65)'],
    ['application/json', `[${'9'.repeat(401)}]`, 'The JSON document is refused: a whole number of more than 400 digits (1:2)'],
    ['application/json', '"\\ud800"', 'The JSON document is refused: a lone surrogate at its top'],
    ['application/json', '[{"arg": ["a", "\\udc00"]}]', 'The JSON document is refused: a lone surrogate at [0].arg[1]'],
    ['application/json', '{"a b": {"x\\ud800": 1}}', 'The JSON document is refused: a key with a lone surrogate at ["a b"]["x\\ud800"]'],
    ['application/json', '{"kwarg": {"__proto__": 1}}', 'The JSON document is refused: a key that is never taken at kwarg.__proto__'],
    ['text/plain', '{"arg": "\\ud800"}', 'The JSON document is refused: a lone surrogate at arg'],
    ['application/x-yaml', 'kwarg: {__proto__: 1}', 'The YAML document is refused: a key that is never taken at kwarg.__proto__'],
    ['application/x-yaml', 'fun: x\npassword: a: b', 'Invalid YAML document: bad indentation of a mapping entry (2:12)'],
    ['text/yaml', 'a: "\\ud800"', 'Invalid YAML document: \\ud800 names no character (1:5)'],
    ['application/x-www-form-urlencoded', 'a=&'.repeat(10_001), 'A form has 10000 fields at most, of 1000 names'],
    ['application/x-www-form-urlencoded', 'arg={a: 1}&__proto__=1', 'The form is refused: a key that is never taken at __proto__'],
  ])('of the type %s that is refused is told what of it is, and where, but nothing that it says (%#)', (type, text, sentence) => {
    expect(sentenceOf(() => read(type, text))).toBe(sentence);
  }); // prettier-ignore

  const LATIN = Buffer.from('{"arg": ["caf\xe9"]}', 'latin1');
  it.each<[string, Buffer]>([
    ['application/json', LATIN],
    ['text/plain', LATIN],
    ['application/x-yaml', LATIN],
    ['text/yaml', LATIN],
    ['application/x-www-form-urlencoded', Buffer.from('arg=caf\xe9', 'latin1')],
    ['application/x-www-form-urlencoded', Buffer.from('arg=caf%E9')],
    ['application/x-www-form-urlencoded', Buffer.from('%e9=1')],
    ['application/x-www-form-urlencoded', Buffer.from('arg=%c3&arg=%a9')],
    ['application/x-www-form-urlencoded', Buffer.from('arg=%ed%a0%80')],
    ['application/json; charset=iso-8859-1', LATIN],
  ])('of the type %s that is not UTF-8 is refused, and no byte of it is replaced (%#)', (type, body) => {
    expect(() => readBody(type, body)).toThrow('The body is not UTF-8');
  });

  it.each([
    ['application/json', '{"arg": ["café \ufffd"]}', { arg: ['café \ufffd'] }],
    ['application/x-www-form-urlencoded', 'arg=caf%C3%A9+%f0%9f%a6%8a&tgt=é%c3%a9', { arg: ['café 🦊'], tgt: 'éé' }],
    ['application/x-www-form-urlencoded', 'arg=100%&tgt=%zz%4', { arg: ['100%'], tgt: '%zz%4' }],
    ['text/plain', '\ufefftext', '\ufefftext'],
  ])('of the type %s in UTF-8, %s, keeps each character', (type, text, value) => {
    expect(read(type, text)).toEqual(value);
  });

  it.each([
    ['a bracket that is closed below its key', 'arg: [\n  1,\n]\nfun: x', { arg: [1], fun: 'x' }],
    ['braces', '- kwarg: {\n    a: 1\n  }\n  fun: x', [{ kwarg: { a: 1 }, fun: 'x' }]],
    ['quotes', 'arg: ["a\nb", \'c\nd\']', { arg: ['a b', 'c d'] }],
  ])('of YAML takes lines within %s without indentation, as Salt does, and tells that they cost more', (_, text, value) => {
    const told: number[] = [];
    const tell = (length: number) => told.push(length);
    expect(readBody('application/x-yaml', Buffer.from(text), 'utf-8', tell)).toEqual(value);
    expect(told).toEqual([text.length, 16_384]);
  }); // prettier-ignore

  it('of YAML that lacks indentation is read again so often only as costs some milliseconds', () => {
    const lines = (count: number) => `arg: [\n${'1,\n'.repeat(count)}]`;
    expect(read('text/yaml', lines(50))).toEqual({ arg: Array(50).fill(1) });
    expect(sentenceOf(() => read('text/yaml', lines(1000)))).toBe('Invalid YAML document: deficient indentation (2:1)');
  });

  it('of YAML that is malformed otherwise is read once', () => {
    const told: number[] = [];
    expect(() => readBody('text/yaml', Buffer.from('a: b: c'), 'utf-8', (length) => told.push(length))).toThrow();
    expect(told).toEqual([7]);
  });

  const QUESTION = 'a word that begins with ? within brackets needs quotes';
  const ANCHOR =
    'a word that begins with & needs quotes; as the name of an anchor it has letters, digits, - and _ alone';
  const END = 'ends a line for Salt: write a line end or take it out';
  it.each([
    ['fun: test.arg\narg: [?x]', `${QUESTION} (2:7)`],
    ['- tgt: {?web1}', `${QUESTION} (1:9)`],
    ['arg: [\n?x\n]', `${QUESTION} (2:2)`],
    ['fun: x\n&tgt: a', `${ANCHOR} (2:1)`],
    ['kwarg: {&a:b: 1}', `${ANCHOR} (1:9)`],
    ['fun: x\n\ufefftgt: a', 'the character U+FEFF, which is not seen, begins this line: take it out (2:1)'],
    ['arg: a\u2028tgt: b', `the character U+2028, which is not seen, ${END} (1:7)`],
    ['# a\u2029tgt: b\nfun: c', `the character U+2029, which is not seen, ${END} (1:4)`],
    ['arg: |\n  a\x85  b\n', `the character U+0085, which is not seen, ${END} (2:4)`],
    ['timeout: ! "5"', 'a ! by itself before quotes or a block has Salt read the text in them as a plain word: take it out (1:10)'],
    ['tgt: *', 'a word that begins with * needs quotes (1:6)'],
    ['fun: a\nfun: b', 'the key fun is there twice in the same mapping (2:1)'],
    ['arg: !!set {a}', 'the tag !!set is not taken: write a text, a list or a map without it (1:6)'],
    ['arg: [a]#x', 'bad indentation of a mapping entry (1:9)'],
    ['arg: [a,\tb]', 'a tab stands between the words of this line, where YAML wants blanks (1:10)'],
  ])('of YAML that Salt reads otherwise, or not at all, is refused with what is wrong and where: %j', (text, sentence) => {
    expect(sentenceOf(() => read('application/x-yaml', text))).toBe(`Invalid YAML document: ${sentence}`);
  }); // prettier-ignore

  it.each(['password: *s3cret', '{password, s3cret, s3cret}', 'password: a: s3cret'])(
    'of YAML that is refused is told nothing that may be no key: %j',
    (text) => {
      expect(sentenceOf(() => read('text/yaml', text))).toMatch(/^Invalid YAML document: (?!.*s3cret)/);
    },
  );

  it.each<readonly [string, Value]>([
    ['arg: ["?x", w?b, ? a]\n?b: 1', { arg: ['?x', 'w?b', { a: null }], '?b': 1 }],
    ['arg: &a [b]\nkwarg: {c: *a}', { arg: ['b'], kwarg: { c: ['b'] } }],
    ['\ufeffarg: "\ufeffa \ufeff"', { arg: '\ufeffa \ufeff' }],
    ['timeout: ! 5', { timeout: 5 }],
  ])('of YAML with the same characters where Salt reads them so is taken: %j', (text, value) => {
    expect(read('application/x-yaml', text)).toEqual(value);
  });

  it.each(['\x85', '\u2028', '\u2029'])('of YAML keeps %j, a line break of only YAML 1.1, in quotes', (mark) => {
    for (const quote of ['"', "'"])
      expect(read('application/x-yaml', `a: ${quote}x${mark}y${quote}`)).toEqual({ a: `x${mark}y` });
  });

  it('that nobody acts on may hold any bytes', () => {
    expect(readBody('application/json', LATIN, 'any')).toEqual({ arg: ['caf\ufffd'] });
    expect(readBody(undefined, Buffer.from('a=%e9'), 'any')).toEqual({ a: '\ufffd' });
    expect(readBody('text/plain', Buffer.from('"\\ud800"'), 'any')).toBe('"\\ud800"');
  });

  it('of another type is not acceptable', () => {
    expect(() => read('text/csv', 'a')).toThrow(NotAcceptableException);
  });
});

describe('lowstates', () => {
  it('are a list, and a mapping is a list of one', () => {
    expect(lowstates({ a: 1 })).toEqual([{ a: 1 }]);
    expect(lowstates([{ a: 1 }, { b: 1 }])).toEqual([{ a: 1 }, { b: 1 }]);
    for (const other of [undefined, null, 'text', 1, [1], [[]]]) {
      expect(() => lowstates(other)).toThrow('Lowstates must be a list');
    }
  });
});
