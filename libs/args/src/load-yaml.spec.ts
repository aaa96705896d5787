import { loadYaml } from './load-yaml.js';

const FILE = `# a comment
peer:
  .*example.com:
    - test.*
    - web*:
        - pkg.list_pkgs
  "x": [a, {b: c}]
nodegroups: {2: 'L@a', on: b}
base: &base
  z: 1
copy:
  <<: *base
  y: 2
`;

describe('loadYaml', () => {
  const loaded = loadYaml(FILE, 'master');

  it('knows the line and column of every key and list item', () => {
    if (!loaded.ok) throw new Error(loaded.error.reason);
    const { locate } = loaded.value;
    expect(locate(['peer'])).toEqual({ line: 2, column: 1 });
    expect(locate(['peer', '.*example.com'])).toEqual({ line: 3, column: 3 });
    expect(locate(['peer', '.*example.com', 1])).toEqual({ line: 5, column: 7 });
    expect(locate(['peer', '.*example.com', 1, 'web*', 0])).toEqual({ line: 6, column: 11 });
    expect(locate(['peer', 'x', 1, 'b'])).toEqual({ line: 7, column: 13 });
    expect(locate(['copy', 'y'])).toEqual({ line: 13, column: 3 });
  });

  it('answers the nearest known ancestor for a path that is not in the text', () => {
    if (!loaded.ok) throw new Error(loaded.error.reason);
    expect(loaded.value.locate(['copy', 'z'])).toEqual({ line: 11, column: 1 });
    expect(loaded.value.locate(['nothing'])).toEqual({ line: 1, column: 1 });
  });

  it('lists the keys that YAML does not read as text', () => {
    if (!loaded.ok) throw new Error(loaded.error.reason);
    expect(loaded.value.unquotedKeys).toEqual([
      ['nodegroups', '2'],
      ['nodegroups', 'true'],
    ]);
  });

  it.each([
    ['in a list', '- {1: x}\n', [[0, '1']]],
    ['by a tag', '!!int "1": x\n!!bool no: y\n!!str 2: z\n', [['1'], ['false']]],
    ['by an alias', 'a: &x 1\n*x : b\nc: {1: d}\n', [['1'], ['c', '1']]],
    [
      'in what an alias means',
      'a: &x {~: b}\nc: [*x]\n',
      [
        ['a', 'null'],
        ['c', 0, 'null'],
      ],
    ],
    [
      'in what is merged',
      'a: &x {1.5: b, c: d}\ne: {<<: *x, on: f}\n',
      [
        ['a', '1.5'],
        ['e', '1.5'],
        ['e', 'true'],
      ],
    ],
    ['not, which is text', '=: a\n"1": b\n! x: c\n2020-01-01: d\n', []],
  ])('lists such a key %s', (_, text, keys) => {
    const read = loadYaml(text, 'f');
    expect(read.ok ? read.value.unquotedKeys : read.error).toEqual(keys);
  });

  it('knows the places of what stands behind a key that is an alias', () => {
    const read = loadYaml('a: &x b\nc:\n  *x : d\n  e: f\n  g:\n    - h\n', 'f');
    if (!read.ok) throw new Error(read.error.reason);
    expect(read.value.locate(['c', 'b'])).toEqual({ line: 3, column: 3 });
    expect(read.value.locate(['c', 'e'])).toEqual({ line: 4, column: 3 });
    expect(read.value.locate(['c', 'g', 0])).toEqual({ line: 6, column: 7 });
  });

  it('names the key that is there twice, with its line', () => {
    expect(loadYaml('a: 1\npeer:\n  x: 1\npeer: 2\n', 'master')).toEqual({
      ok: false,
      error: { file: 'master', line: 4, column: 1, reason: 'the key peer is there twice in the same mapping' },
    });
  });

  it('takes brackets and quotes whose later lines stand no deeper than their key, as YAML 1.1 does', () => {
    const text = [
      "text: 'one\ntwo'",
      'publisher_acl:\n  fred: [\n    test.*,\n    pkg.*\n  ]',
      "peer: {\n'.*': [\n\t'a', # a comment\n'b'\n]\n}",
      'last: 1\n',
    ].join('\n');
    const loaded = loadYaml(text, 'master');
    if (!loaded.ok) throw new Error(loaded.error.reason);
    expect(loaded.value.value).toEqual({
      text: 'one two',
      publisher_acl: { fred: ['test.*', 'pkg.*'] },
      peer: { '.*': ['a', 'b'] },
      last: 1,
    });
    expect(loaded.value.locate(['last'])).toEqual({ line: 14, column: 1 });
  });

  it.each(['a: [\n--- \n]\n', 'a: [x,\n... \n]\n'])(
    'does not take a document’s beginning or end within brackets: %j',
    (text) => {
      const reason = 'a bracket or a quote that is open before this line is not closed';
      expect(loadYaml(text, 'master')).toMatchObject({ ok: false, error: { line: 2, reason } });
    },
  );

  it.each([
    ['x: |\na: [1,\t2]\nb: 1\n', 2],
    ['users:\n  - root\n  - [joe,\tjim]\n', 3],
    ['fred:\t[test.ping]\n', 1],
  ])('does not take a tab between the words of a line for a lack of blanks: %j', (text, line) => {
    const reason = 'a tab stands between the words of this line, where YAML wants blanks';
    expect(loadYaml(text, 'master')).toMatchObject({ ok: false, error: { line, reason } });
  });

  it.each(["a: 'x\nb: 1\nc: 2\n", 'a: "x\n', 'peer: [a\n', 'peer: {a: b,\n'])(
    'says that a bracket or a quote is never closed, where it first looks wrong: %j',
    (text) => {
      const reason = 'a bracket or a quote that is open before this line is not closed';
      expect(loadYaml(text, 'master')).toMatchObject({ ok: false, error: { line: 2, reason } });
    },
  );

  it.each([
    ['a:\n  b: [\n x\n', 3],
    ["a:\n  b: 'x\n y\nc: 1\n", 3],
    ['a:\n    b: [\n\tx\n', 3],
    ['a:\n    b: [x,\n  y,\tz\n', 3],
    ['- - {\n x\n', 2],
  ])('says so too where that line has blanks, or a tab before its words, but not enough: %j', (text, line) => {
    const reason = 'a bracket or a quote that is open before this line is not closed';
    expect(loadYaml(text, 'master')).toMatchObject({ ok: false, error: { line, reason } });
  });

  it.each([
    ['the end of a word', 'users:\n  - root\u2028\n', 2, 9, '2028'],
    ['the end of a word in brackets', 'users: [root\u0085]\n', 1, 13, '0085'],
    ['a comment, with a key behind it', '# who\u2029publisher_acl_blacklist: {users: [root]}\n', 1, 6, '2029'],
    ['a block, behind a text in quotes that has one', "a: 'x\u2028y'\nb: |\n  x\u2028y\n", 3, 4, '2028'],
  ])('takes no character that ends a line in YAML 1.1 alone: %s', (_, text, line, column, code) => {
    const reason = `the character U+${code}, which is not seen, ends a line for Salt: write a line end or take it out`;
    expect(loadYaml(text, 'master')).toEqual({ ok: false, error: { file: 'master', reason, line, column } });
  });

  it('takes such a character in quotes, where it is text', () => {
    const loaded = loadYaml('a: "x\u2028y"\nb: [\'\u2028\', "\\u2028"]\n', 'master');
    expect(loaded.ok ? loaded.value.value : loaded.error).toEqual({ a: 'x\u2028y', b: ['\u2028', '\u2028'] });
  });

  it('finds a fault behind such brackets in its line', () => {
    expect(loadYaml('a: [\n]\nb: 1\nb: 2\n', 'master')).toMatchObject({ ok: false, error: { line: 4, column: 1 } });
  });

  const problem = (text: string) => {
    const read = loadYaml(text, 'f');
    return read.ok ? undefined : `${String(read.error.line)}:${String(read.error.column)} ${read.error.reason}`;
  };

  it('says where a blank is missing behind a colon, whose line was read as text that goes on', () => {
    expect(problem('timeout: 5\nuser:root\nkeep_jobs: 24\n')).toBe('2:1 behind the colon of user a blank is missing');
    expect(problem('user: root\ntimeout:5\nkeep_jobs: 24\n')).toBe(
      '2:1 behind the colon of timeout a blank is missing',
    );
    expect(problem('timeout: 5\nuser:root\n')).toBe('2:1 behind the colon of user a blank is missing');
    expect(problem('user:root\n# who\n\ntimeout: 5\n')).toBe('1:1 behind the colon of user a blank is missing');
    expect(problem('peer:\n  web1:[a]\n  b: [c]\n')).toBe('2:3 behind the colon of web1 a blank is missing');
    expect(problem('a: 1\nhttp://x\nb: 2\n')).toMatch(/^3:2 can not read a block mapping entry/);
    for (const text of ['10.0.0.1:4506', 'salt.example.com:4506', 'C:\\salt'])
      expect(problem(`master:\n  ${text}\n timeout: 5\n`)).toMatch(/^3:9 bad indentation/);
  });

  it('says which word needs quotes, where it stands', () => {
    expect(problem('fred:\n  - @runner\n')).toBe('2:5 a word that begins with @ needs quotes');
    expect(problem('pam:\n  *:\n    - x\n')).toBe('2:3 a word that begins with * needs quotes');
    expect(problem('peer:\n  .*: [.*, *]\n')).toBe('2:12 a word that begins with * needs quotes');
    expect(problem('fred: [@runner]\n')).toBe('1:8 a word that begins with @ needs quotes');
    expect(problem('fred: [.*,@runner]\n')).toBe('1:11 a word that begins with @ needs quotes');
    expect(problem('pam: {*: [.*]}\n')).toBe('1:7 a word that begins with * needs quotes');
    expect(problem('a: b: c\n')).not.toContain('quotes');
    expect(problem('x: &a {t: 1}\ny: *a\nz: b: c\n')).not.toContain('quotes');
    expect(problem('x: &a {t: 1}\ny: {<<: *a, <<: *a}\n')).not.toContain('quotes');
    expect(problem('x: &a {t: 1}\ny: *ab\n')).toBe('2:4 a word that begins with * needs quotes');
  });

  it('says that an alias stands inside of what it means, as where the key before it was commented out', () => {
    const text = 'external_auth:\n  pam: &pam\n    fred: [.*]\n  #ldap:\n    <<: *pam\n';
    const reason = 'the alias *pam stands inside of what &pam names';
    expect(loadYaml(text, 'f')).toEqual({ ok: false, error: { file: 'f', line: 5, column: 10, reason } });
  });

  it('says where the text is not YAML', () => {
    expect(loadYaml('a: [1\nb: 2', 'f')).toMatchObject({ ok: false, error: { file: 'f', line: 2 } });
    expect(loadYaml('a: 1\n\tb: 2', 'f')).toMatchObject({ ok: false, error: { line: 2 } });
    expect(loadYaml('a: 1\n---\nb: 2', 'f')).toMatchObject({ ok: false });
    expect(loadYaml('a: \0', 'f')).toMatchObject({ ok: false });
  });

  it.each([
    ['a: 1\n---\nb: 2\n', 2],
    ['---\na: &x |\n  ---\n# ---\nb: *x\n--- # second\n', 6],
    ["---\na: ['---', '*']\n...\nb: 2\n", 3],
    ['---\n---\na: 1\n---\n', 2],
    ['a: 1\r\n---\r\n', 2],
    ['a: &x 1\nb: *x\n---\nc: 2\n', 3],
    ['--- []\n---\n', 2],
  ])('says where the second document of a file begins: %j', (text, line) => {
    const reason = 'more than one document in the text';
    expect(loadYaml(text, 'f')).toEqual({ ok: false, error: { file: 'f', line, column: 1, reason } });
  });

  it.each(['---\na: 1\n', 'a: 1\n...\n', '---\na: 1\n...\n# the end\n'])(
    'takes marks around one document: %j',
    (text) => {
      expect(loadYaml(text, 'f')).toMatchObject({ ok: true, value: { value: { a: 1 } } });
    },
  );

  it('reads an empty file, and one of comments only, as null', () => {
    expect(loadYaml('', 'f')).toMatchObject({ ok: true, value: { value: null } });
    expect(loadYaml('# nothing\n', 'f')).toMatchObject({ ok: true, value: { value: null } });
  });
});
