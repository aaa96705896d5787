/** Rules of spec/config.md#yaml: what Salt's parser reads otherwise in a file is told with its place, or read as Salt reads it. */
import type { Value } from '@natrium/model';
import { loadYaml } from './load-yaml.js';

const FILE = 'master';

function valueOf(text: string): Value {
  const loaded = loadYaml(text, FILE);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value.value;
}

function problemOf(text: string): string {
  const loaded = loadYaml(text, FILE);
  if (loaded.ok) return `read as ${JSON.stringify(loaded.value.value)}`;
  const { line, column, reason } = loaded.error;
  return `${String(line)}:${String(column)} ${reason}`;
}

describe('a question mark before a word within brackets, where Salt reads the mark of a key', () => {
  it.each([
    ['peer:\n  {?eb1: [test.*]}\n', '2:4'],
    ['peer: {.*: [?md.run]}\n', '1:13'],
    ['peer: {.*: [test.*,?md.run]}\n', '1:20'],
    ['publisher_acl: {?red : [.*]}\n', '1:17'],
    ['publisher_acl: {fred: ["web1", {?"x": [.*]}]}\n', '1:33'],
    ['users: [root,\n?oe]\n', '2:2'],
    ['hosts: [??]\n', '1:9'],
  ])('is a problem that says where it stands and what to do: %j', (text, place) => {
    expect(problemOf(text)).toBe(`${place} a word that begins with ? within brackets needs quotes`);
  });

  it('is text in quotes, in block style and inside of a word, as for Salt', () => {
    expect(valueOf('a: ["?x", web?, w?b, a ?b]\n?b:\n  - ?c\nd: ?e\n')).toEqual({
      a: ['?x', 'web?', 'w?b', 'a ?b'],
      '?b': ['?c'],
      d: '?e',
    });
  });

  it('marks a key where a blank is behind it, as for Salt', () => {
    expect(valueOf('a: {? b : c, ? d: e}\nf: [? g : h]\n')).toEqual({ a: { b: 'c', d: 'e' }, f: [{ g: 'h' }] });
  });
});

describe('a word that begins with &', () => {
  const reason =
    'a word that begins with & needs quotes; as the name of an anchor it has letters, digits, - and _ alone';

  it.each([
    ['external_auth:\n  &pam:\n    fred: [.*]\n', '2:3'],
    ['external_auth:\n  pam:\n    &fred: [.*]\n', '3:5'],
    ['publisher_acl: {&fred: 2}\n', '1:17'],
    ['peer: {a: [x, y], &b: {c: d}}\n', '1:19'],
    ['a: &x: 1\n', '1:4'],
    ['a: &b:c d\n', '1:4'],
    ['a:\n  b: c\n  &p: \n  d: e\n', '3:3'],
    ['publisher_acl:\n  fred:\n    - &test.*\n', '3:7'],
    ['publisher_acl: {fred: [&.*, test.ping]}\n', '1:24'],
    ['a: &x[b]\n', '1:4'],
  ])(
    'is a problem where its name is none of an anchor’s, which Salt reads as a key or not at all: %j',
    (text, place) => {
      expect(problemOf(text)).toBe(`${place} ${reason}`);
    },
  );

  it('is told of an alias whose colon would be part of its name', () => {
    const reason = 'a blank belongs between the alias *x and its colon';
    expect(problemOf('a: &x 1\n*x: 2\n')).toBe(`2:1 ${reason}`);
    expect(problemOf('a: &x 1\nb: {*x: 2}\n')).toBe(`2:5 ${reason}`);
    expect(valueOf('a: &x y\n*x : 2\n')).toEqual({ a: 'y', y: 2 });
  });

  it('names a place otherwise, also before a comma or a bracket', () => {
    expect(valueOf('a: &x-1_B {b: c}\nd: [&y, *x-1_B, &z]\ne: {<<: *x-1_B}\n&k f: *k\n')).toEqual({
      a: { b: 'c' },
      d: [null, { b: 'c' }, null],
      e: { b: 'c' },
      f: 'f',
    });
  });
});

describe('a ! by itself', () => {
  it('says nothing before a plain word, a list or a map, as for Salt: the word is a number where it looks like one', () => {
    const text = 'keep: ! 5\nopen: [! yes, ! 010, ! x]\n! 1: ! [a]\n! <<: {b: &n ! 2}\nc: *n\nd: !\n';
    expect(valueOf(text)).toEqual({ 1: ['a'], b: 2, keep: 5, open: [true, 10, 'x'], c: 2, d: '' });
  });

  it.each([
    ['timeout: ! "5"\n', '1:10'],
    ["a:\n  - ! 'yes'\n", '2:5'],
    ['a: ! |\n  1\n', '1:4'],
    ['! "a": b\n', '1:1'],
  ])('is a problem before quotes and blocks, whose text Salt reads as a plain word: %j', (text, place) => {
    const reason = 'a ! by itself before quotes or a block has Salt read the text in them as a plain word: take it out';
    expect(problemOf(text)).toBe(`${place} ${reason}`);
  });
});

describe('an anchor and a tag before one key', () => {
  it.each([
    ['a:\n  &x !!str b:\n     c: 1\n', '2:6'],
    ['a:\n  &x !!str b: c\nd: *x\n', '2:6'],
  ])('are a problem where our parser gives one of them to the mapping: %j', (text, place) => {
    expect(problemOf(text)).toBe(`${place} an anchor and a tag stand before one key: leave one of them out`);
  });

  it('are none where one stands alone, in the line before or at the very begin', () => {
    const text = '&k !!str f: *k\na: &x !!map # c\n  &y b:\n    !!str 1: *y\n  c: &z !!str 2\nd: *z\ne: [*x]\n';
    const a = { b: { 1: 'b' }, c: '2' };
    expect(valueOf(text)).toEqual({ f: 'f', a, d: '2', e: [a] });
  });
});

describe('an empty line behind a \\ that ends a line', () => {
  it.each([
    ['a: "b\\\n\n  c"\n', '1:6'],
    ['a: 1\nb: "x \\\r\n \t\r\n  y"\n', '2:7'],
  ])('is a problem: it is one of the text for Salt, and our parser forgets it: %j', (text, place) => {
    expect(problemOf(text)).toBe(`${place} an empty line stands behind a \\ at the end of a line: write \\n for it`);
  });

  it('may stand behind a \\ of the text, and another line behind one that ends it', () => {
    expect(valueOf('a: "b\\\\\n\n  c"\nd: "e\\\n  f"\n')).toEqual({ a: 'b\\\nc', d: 'ef' });
    expect(valueOf('a: "b\\\r\n  c"\r\nd: "e\\\r  f"\r')).toEqual({ a: 'bc', d: 'ef' });
  });
});

describe('what Salt takes and no value here can be', () => {
  it.each([
    ['users: [root, -]\n', '1:15 a - by itself within brackets needs quotes'],
    ['a:\n  users: !!set {root}\n', '2:10 the tag !!set is not taken: write a text, a list or a map without it'],
    ['a: !!binary aGk=\n', '1:4 the tag !!binary is not taken: write a text, a list or a map without it'],
    ['a: !x [b]\n', '1:4 the tag !x is not taken: write a text, a list or a map without it'],
  ])('is a problem that says what to write: %j', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });
});

describe('a character that is not seen, in quotes', () => {
  it('does not hide what is wrong elsewhere', () => {
    expect(problemOf('a: "x\u2028y"\nfred:\n  - @runner\n')).toBe('3:5 a word that begins with @ needs quotes');
  });
});

describe('a comment', () => {
  it.each<readonly [string, Value]>([
    ["users: 'root'#c\nb: 1\n", { users: 'root', b: 1 }],
    ['users: "root"#c\n', { users: 'root' }],
    ['fred: [test.*]# may: [all]\nb: {c: d}#}\n', { fred: ['test.*'], b: { c: 'd' } }],
    ['fred: [#all of\n  test.*,#and\n"x"#y\n]\n', { fred: ['test.*', 'x'] }],
    ['peer: {#c\n  a: b,#d\n  "c":\n  d\n}\n', { peer: { a: 'b', c: 'd' } }],
    ['a: |#c\n  x\nb: >-#c\n  y\nc: |2#c\n   z\n', { a: 'x\n', b: 'y', c: ' z\n' }],
  ])('needs no blank before it behind a quote, a bracket, a comma or the mark of a block: %j', (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  it('does need one behind a word, of which it is a part', () => {
    expect(valueOf('a: x#c\nb: [x#c]\nc: "#"\nd:\n  - #c\n')).toEqual({ a: 'x#c', b: ['x#c'], c: '#', d: [null] });
  });

  it('needs one behind the colon of a key in block style, for Salt too', () => {
    expect(problemOf('"fred":#c\n  - test.*\n')).toMatch(/^1:8 /);
  });

  it('does not hide what is wrong in its line, or behind it', () => {
    expect(problemOf("a: 'x' 'y'#c\n")).toMatch(/^1:/);
    expect(problemOf("a: 'x'#c\na: 'y'\n")).toBe('2:1 the key a is there twice in the same mapping');
    expect(problemOf('a: [x#c\n')).toBe('2:1 a bracket or a quote that is open before this line is not closed');
  });
});

describe('a character that is not seen', () => {
  it.each([
    ['users: [root,\n\ufeffjoe]\n', 2],
    ['# of another file\n\ufeffpublisher_acl_blacklist: {users: [root]}\n', 2],
    ['a: b\n\ufeff# c\nd: e\n', 2],
    ['a: b\r\n\ufeffc: d\n', 2],
  ])('is a problem where it is a byte order mark before a later line, which Salt skips: %j', (text, line) => {
    expect(problemOf(text)).toBe(
      `${String(line)}:1 the character U+FEFF, which is not seen, begins this line: take it out`,
    );
  });

  it('is a problem as the second of a file, too, where it would be the first letter of a key', () => {
    const reason = 'the character U+FEFF, which is not seen, begins this line: take it out';
    expect(problemOf('\ufeff\ufeffa: b\n')).toBe(`1:2 ${reason}`);
  });

  it('is skipped as the first of a file, and is text in quotes and inside of a word, as for Salt', () => {
    expect(valueOf('\ufeffa: "x \ufeffy"\nb: \ufeffc\n')).toEqual({ a: 'x \ufeffy', b: '\ufeffc' });
  });

  it.each([
    ['users:\u2028\n  - root\n', '1:7', '2028'],
    ['a:\n  b: c\n\u2029', '3:1', '2029'],
    ['fred:\u2028\n  a:\n    - x\n  b:\n    - y\n', '1:6', '2028'],
    ['a: &x {b: c}\nd:\n  <<: *x\u0085\n  e: f\n', '3:9', '0085'],
    ["fred:\n  'web*':\u0085\n    - pkg.*\n", '2:10', '0085'],
  ])('is what is told where our parser only stumbles over what is behind it: %j', (text, place, code) => {
    expect(problemOf(text)).toBe(
      `${place} the character U+${code}, which is not seen, ends a line for Salt: write a line end or take it out`,
    );
  });
});

describe('a block of text at the end of a file', () => {
  it.each<readonly [string, Value]>([
    ['a: |\n  x', 'x'],
    ['a: >\n  x\n  y', 'x y'],
    ['a: |+\n  x\n\n  y', 'x\n\ny'],
    ['a: |\n  x\n    ', 'x\n  '],
    ['a: |\n  x\n  ', 'x\n'],
    ['a: |+\n  x\n\n  ', 'x\n\n'],
    ['a: >+\n  ', ''],
    ['a: |\n  x\n', 'x\n'],
    ['a: |-\n  x', 'x'],
    ['a: |\r\n  x\r', 'x\n'],
  ])('has no line end that the file has not: %j', (text, value) => {
    expect(valueOf(text)).toEqual({ a: value });
  });

  it('has none either where it is a key', () => {
    expect(valueOf('? |\n  x')).toEqual({ x: null });
    expect(valueOf('? |\n  x\n')).toEqual({ 'x\n': null });
  });
});
