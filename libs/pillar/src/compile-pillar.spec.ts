import { err, ok, type ValueMap } from '@natrium/model';
import { readNodeGroups } from '@natrium/matchers';
import { compilePillar } from './compile-pillar.js';
import { mergeMaps } from './merge.js';
import type { PillarFiles } from './pillar-files.js';

/** Files of one environment `base`, or of several as `env//path`. */
function filesOf(texts: Readonly<Record<string, string>>): PillarFiles {
  const placed = new Map(
    Object.entries(texts).map(([path, text]) => [path.includes('//') ? path : `base//${path}`, text]),
  );
  return {
    environments: [...new Set(['base', ...[...placed.keys()].map((place) => place.split('//')[0] ?? '')])],
    read: (environment, path) => {
      const text = placed.get(`${environment}//${path}`);
      if (text === 'unreadable') return err({ file: path, reason: 'it leads out of pillar_roots' });
      return text === undefined ? undefined : ok({ file: path, text });
    },
  };
}

const GROUPS = readNodeGroups({ web: 'web1,web2', deep: 'N@web or db1', secret: 'I@tier:prod', nothing: '' });

function compiled(texts: Readonly<Record<string, string>>) {
  return compilePillar(filesOf(texts), GROUPS);
}

const GRAINS = { os: 'Debian', ipv4: ['10.0.0.7'], roles: ['web', 'cache'] };

const pillarOf = (texts: Readonly<Record<string, string>>, id = 'web1', grains: ValueMap = GRAINS) =>
  compiled(texts).pillarOf(id, grains);

/** The problems as `file:line: reason`. */
const problemsOf = (texts: Readonly<Record<string, string>>) =>
  compiled(texts).problems.map(({ file, line, reason }) => `${file}:${line ?? '?'}: ${reason}`);

const all = (...names: readonly string[]) => `base:\n  '*':\n${names.map((name) => `    - ${name}\n`).join('')}`;

describe('merging', () => {
  it('recurses into mappings and replaces everything else', () => {
    const base = { a: { x: 1, y: [1, 2], z: { deep: true } }, b: 'kept', c: { was: 'a map' } };
    const over = { a: { y: [3], z: { more: 1 } }, c: 'a text', d: null };
    expect(mergeMaps(base, over)).toEqual({
      a: { x: 1, y: [3], z: { deep: true, more: 1 } },
      b: 'kept',
      c: 'a text',
      d: null,
    });
  });
});

describe('files', () => {
  it('are a/b.sls or a/b/init.sls, merged in the order of the top file', () => {
    const texts = {
      'top.sls': all('common', 'a.b', 'web'),
      'common.sls': 'x: 1\nm: {from: common, kept: yes}\n',
      'a/b.sls': 'm: {from: ab}\nlist: [1, 2]\n',
      'web/init.sls': 'x: 3\nlist: [9]\n',
    };
    expect(pillarOf(texts)).toEqual({ x: 3, m: { from: 'ab', kept: true }, list: [9] });
    expect(problemsOf(texts)).toEqual([]);
  });

  it('come after what they include', () => {
    const texts = {
      'top.sls': all('web'),
      'web.sls': 'include:\n  - common\n  - db: {key: "stores:db"}\nport: 80\n',
      'common.sls': 'port: 1\nhost: any\n',
      'db.sls': 'user: app\n',
    };
    expect(pillarOf(texts)).toEqual({ port: 80, host: 'any', stores: { db: { user: 'app' } } });
  });

  it('that include themselves, on whatever way, give nothing', () => {
    const texts = {
      'top.sls': all('good', 'a', 'self'),
      'good.sls': 'good: 1\n',
      'a.sls': 'include: [b]\na: 1\n',
      'b.sls': 'include: [c]\nb: 1\n',
      'c.sls': 'include: [a]\nc: 1\n',
      'self.sls': 'include: [self]\nself: 1\n',
    };
    expect(pillarOf(texts)).toEqual({ good: 1 });
    expect(problemsOf(texts)).toEqual([
      'c.sls:1: a includes itself',
      'b.sls:1: it includes c, which has a problem',
      'a.sls:1: it includes b, which has a problem',
      'self.sls:1: self includes itself',
    ]);
  });

  it.each([
    ['name: {{ grains.id }}\n', 'plain.sls:1: it is a template'],
    ['a: 1\n\n# {% if x %}\n', 'plain.sls:3: it is a template'],
    ['a: 1\r\nb: {# c #}\n', 'plain.sls:2: it is a template'],
    ['#!py\na: 1\n', 'plain.sls:1: it is a template'],
    ['\uFEFF#!yaml\na: 1\n', 'plain.sls:1: it is a template'],
    ['a: [1\n', 'plain.sls:'],
    ['a: 1\na: 2\n', 'plain.sls:2: the key a is there twice'],
    ['- a\n', 'plain.sls:1: it does not hold a mapping'],
    ['a: {__proto__: {x: 1}}\n', 'plain.sls:?: a key in it is __proto__'],
    ['a: "\\ud800"\n', 'plain.sls:'],
    [`a: ${'['.repeat(40)}${']'.repeat(40)}\n`, 'plain.sls:?: it is nested deeper'],
    ['include: common\na: 1\n', 'plain.sls:1: `include` is not a list'],
    ['include: [nope]\na: 1\n', 'plain.sls:1: it includes nope, which environment base does not have'],
    ['a: 1\ninclude:\n  - ../x\n', 'plain.sls:3: an included file is a name'],
    ['include: [{common: {defaults: {a: 1}}}]\n', 'plain.sls:1: an included file is a name'],
    ['include: [{common: {key: __proto__}}]\n', 'plain.sls:1: an included file is a name'],
    ['unreadable', 'plain.sls:?: it leads out of pillar_roots'],
  ])('give nothing when they hold %j', (text, problem) => {
    const texts = { 'top.sls': all('common', 'plain'), 'common.sls': 'kept: 1\n', 'plain.sls': text };
    expect(pillarOf(texts)).toEqual({ kept: 1 });
    const [first = '', ...others] = problemsOf(texts);
    expect(first.startsWith(problem)).toBe(true);
    expect(others).toEqual([]);
  });

  it('that are empty are no problem', () => {
    expect(problemsOf({ 'top.sls': all('a'), 'a.sls': '# nothing yet\n' })).toEqual([]);
  });
});

describe('names', () => {
  it.each([
    '../secret',
    '..',
    '.hidden',
    'a..b',
    'a/b',
    '/etc/passwd',
    'a.b\\c',
    'a*',
    'a\u0000b',
    '',
    'x'.repeat(101),
  ])('that leave the roots or are no names are refused with their whole entry: %j', (name) => {
    const read: string[] = [];
    const top = `base:\n  '*': [common, ${JSON.stringify(name)}]\n`;
    const files = filesOf({ 'top.sls': top, 'common.sls': 'a: 1\n' });
    const pillar = compilePillar(
      { ...files, read: (environment, path) => (read.push(path), files.read(environment, path)) },
      GROUPS,
    );
    expect(pillar.pillarOf('web1', GRAINS)).toEqual({});
    expect(pillar.problems).toHaveLength(1);
    expect(read).toEqual(['top.sls']);
  });

  it('without a file are a problem, unless the entry says that they may be missing', () => {
    expect(problemsOf({ 'top.sls': all('nope') })).toEqual(['top.sls:2: environment base has no file for nope']);
    expect(problemsOf({ 'top.sls': all('ignore_missing: true', 'nope') })).toEqual([]);
  });
});

/** A top file with one entry. */
const top = (target: string, match?: string) =>
  `base:\n  ${JSON.stringify(target)}:\n${match === undefined ? '' : `    - match: ${match}\n`}    - role\n`;

describe('targets', () => {
  it.each([
    ['web*', undefined, true],
    ['web1', undefined, true],
    ['web2', undefined, false],
    ['web*', 'glob', true],
    ['db*', 'glob', false],
    ['G@os:Debian and web*', undefined, true],
    ['G@os:Debian and not web*', 'compound', false],
    ['web1,web2', 'list', true],
    ['web2,web3', 'list', false],
    ['web\\d$', 'pcre', true],
    ['eb1', 'pcre', false],
    ['os:Deb*', 'grain', true],
    ['roles:cache', 'grain', true],
    ['os:RedHat', 'grain', false],
    ['os:Deb.*n$', 'grain_pcre', true],
    ['os:eb', 'grain_pcre', false],
    ['10.0.0.0/24', 'ipcidr', true],
    ['10.1.0.0/24', 'ipcidr', false],
    ['web', 'nodegroup', true],
    ['deep', 'nodegroup', true],
    ['N@deep and not web1', 'compound', false],
  ])('%j as %s: %s', (target, match, matches) => {
    const texts = { 'top.sls': top(target, match), 'role.sls': 'role: web\n' };
    expect(pillarOf(texts)).toEqual(matches ? { role: 'web' } : {});
    expect(problemsOf(texts)).toEqual([]);
  });

  it.each([
    ['role:*', 'pillar'],
    ['role:*', 'pillar_exact'],
    ['role:.*', 'pillar_pcre'],
    ['* and not I@role:web', 'compound'],
    ['J@role:.*', undefined],
    ['secret', 'nodegroup'],
    ['* and not N@secret', undefined],
    ['* N@nothing', undefined],
    ['* N@unknown', undefined],
    ['unknown', 'nodegroup'],
    ['* and not G@os', undefined],
    ['* and not E@(', undefined],
    ['* and not S@10.0.0.300', undefined],
    ['(((', 'pcre'],
    ['*', 'range'],
    ['*', 'data'],
    ['*', '7'],
  ])('that refer to pillar, or have any defect, match nobody and are a problem: %j as %s', (target, match) => {
    const texts = { 'top.sls': top(target, match), 'role.sls': 'role: web\n' };
    expect(pillarOf(texts)).toEqual({});
    expect(problemsOf(texts)).toHaveLength(1);
    expect(problemsOf(texts)[0]).toMatch(/^top\.sls:2: /);
  });

  it.each([
    `'*': common`,
    `'*': [{match: glob}, {match: pcre}, common]`,
    `'*': [[common]]`,
    `'*': [{other: 1}, common]`,
  ])('with a list that means nothing match nobody: %s', (entry) => {
    const texts = { 'top.sls': `base:\n  ${entry}\n`, 'common.sls': 'a: 1\n' };
    expect(pillarOf(texts)).toEqual({});
    expect(problemsOf(texts)).toHaveLength(1);
  });

  it('never see what minions say elsewhere: grains choose files and are no pillar', () => {
    const texts = { 'top.sls': top('*'), 'role.sls': 'role: web\n' };
    expect(pillarOf(texts, 'web1', { pillar: { role: 'db' }, role: 'db' })).toEqual({ role: 'web' });
  });

  it('are taken in the order that they ask for', () => {
    const entry = (name: string, order: number) => `  '${name}*':\n    - order: ${order}\n    - ${name}\n`;
    const texts = {
      'top.sls': `base:\n${entry('web', 2)}${entry('we', 1)}`,
      'web.sls': 'x: web\n',
      'we.sls': 'x: we\n',
    };
    expect(pillarOf(texts)).toEqual({ x: 'web' });
  });
});

describe('environments', () => {
  it('are merged one after the other, each from its own files', () => {
    const texts = {
      'base//top.sls': `base:\n  '*': [common]\nprod:\n  'web*': [common]\n`,
      'base//common.sls': 'env: base\nb: 1\n',
      'prod//common.sls': 'env: prod\np: 1\n',
    };
    expect(pillarOf(texts)).toEqual({ env: 'prod', b: 1, p: 1 });
    expect(pillarOf(texts, 'db1')).toEqual({ env: 'base', b: 1 });
  });

  it('are merged as the top file names them first, whatever the order of the configuration', () => {
    const texts = {
      'base//top.sls': `prod:\n  '*': [common]\nbase:\n  '*': [common]\n`,
      'base//common.sls': 'env: base\n',
      'prod//common.sls': 'env: prod\n',
    };
    expect(pillarOf(texts)).toEqual({ env: 'base' });
  });

  it('that are not configured are a problem', () => {
    expect(problemsOf({ 'top.sls': `dev:\n  '*': [common]\n` })).toEqual([
      'top.sls:1: pillar_roots has no environment dev',
    ]);
  });

  it('replace an entry of the same target whole', () => {
    const texts = {
      'base//top.sls': `base:\n  '*': [one]\n`,
      'prod//top.sls': `base:\n  '*': [two]\n`,
      'base//one.sls': 'one: 1\n',
      'base//two.sls': 'two: 2\n',
    };
    expect(pillarOf(texts)).toEqual({ two: 2 });
  });
});

describe('a top file', () => {
  it.each(['{% if x %}\nbase:\n  "*": [common]\n{% endif %}\n', 'base: [common]\n', '- base\n', 'base:\n', ''])(
    'that cannot be used gives nobody anything: %j',
    (text) => {
      expect(pillarOf({ 'top.sls': text, 'common.sls': 'a: 1\n' })).toEqual({});
    },
  );

  it('may be missing', () => {
    expect(pillarOf({ 'common.sls': 'a: 1\n' })).toEqual({});
    expect(problemsOf({ 'common.sls': 'a: 1\n' })).toEqual([]);
  });

  it('gives minions with the same files the same object', () => {
    const { pillarOf: of } = compiled({ 'top.sls': all('common'), 'common.sls': 'a: 1\n' });
    expect(of('web1', GRAINS)).toBe(of('db1', {}));
  });
});
