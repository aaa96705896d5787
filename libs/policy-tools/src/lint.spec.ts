import type { PolicyConfig } from '@natrium/acl';
import fc from 'fast-check';
import { compilePattern } from '@natrium/matchers';
import { fleetOf, fleetOfRules, readFleet } from './fleet.js';
import type { Finding } from './lint/finding.js';
import { lintPolicy } from './lint/lint.js';
import { showPath, viewPolicy } from './policy-view.js';

function lint(config: PolicyConfig, fleet = fleetOf(['web1', 'web2', 'db1'])): readonly Finding[] {
  return lintPolicy(viewPolicy(config), fleet);
}

function on(found: readonly Finding[], path: string): readonly string[] {
  return found
    .filter((one) => showPath(one.path) === path)
    .map(({ code, witness = [] }) => [code, ...witness].join(' '));
}

const forFred = (...list: readonly string[]): PolicyConfig => ({ publisher_acl: { fred: list } });

describe('patterns of functions', () => {
  it.each([
    ['pkg.*', ['covers-more pkgutil.x pkgXx']],
    ['pkg', ['covers-more pkgutil.x pkgXx']],
    ['pkg\\.', []],
    ['pkg\\..*', []],
    ['test.ping', ['covers-more test.ping_evil testXping']],
    ['test\\.ping', ['covers-more test.ping_evil']],
    ['test\\.ping$', []],
    ['(test|pkg)\\.ping', ['covers-more test.ping_evil']],
    ['(test|pkg)\\.ping$', []],
    ['test*', ['covers-more tesx tes']],
    ['.*', ['covers-everything cmd.run']],
    ['', ['covers-everything cmd.run']],
    ['.', ['covers-everything cmd.run']],
    ['@runner', []],
    ['test.ping,test.echo', ['never-matches']],
  ])('%s', (pattern, codes) => {
    expect(on(lint(forFred(pattern)), 'publisher_acl.fred[0]').filter((one) => !one.startsWith('differs'))).toEqual(
      codes,
    );
  });

  it('proves every witness with the engine', () => {
    const patterns = ['pkg.*', 'te', 'a.b', 'x\\.y', '(a|b)c.d+', 'q[abc]\\w{2}\\.z', 'state*'];
    for (const { path, witness = [], code } of lint(forFred(...patterns))) {
      if (code !== 'covers-more') continue;
      const pattern = compilePattern(patterns[Number(path[2])] ?? '', { mode: 'prefix' });
      expect(witness.length).toBeGreaterThan(0);
      for (const text of witness) expect(pattern.ok && pattern.value.test(text)).toBe(true);
    }
  });
});

describe('keys', () => {
  it('of peer are open at the end, and no globs', () => {
    const found = lint({
      peer: { web1: ['test\\.ping$'], 'web*': ['x\\.'], web1$: [], 'db.*': [], '.*': [], 'web/1': [] },
    });
    expect(on(found, 'peer.web1')).toEqual(['covers-more web1.evil.net']);
    expect(on(found, 'peer.web*')).toEqual(['covers-more wex we']);
    expect(on(found, 'peer.web1$')).toEqual([]);
    expect(on(found, 'peer.db.*')).toEqual([]);
    expect(on(found, 'peer..*')).toEqual(['covers-everything zz9']);
    expect(on(found, 'peer.web/1')).toEqual(['never-matches']);
  });

  it('of publisher_acl that name everybody, or nobody that is not refused before', () => {
    const found = lint({
      publisher_acl: { '*': ['a\\.b$'], joe: ['a\\.b$'] },
      publisher_acl_blacklist: { users: ['joe'] },
    });
    expect(on(found, 'publisher_acl.*')).toEqual(['covers-everything zz9']);
    expect(on(found, 'publisher_acl.joe')).toEqual(['unreachable joe']);
  });
});

describe('rules that never permit', () => {
  it('are those of an escaped star, with the mend', () => {
    const [first] = lint({ publisher_acl: { fred: [{ 'web\\*': ['test\\.'] }] } });
    expect(first).toMatchObject({ code: 'malformed', severity: 'problem', mend: "did you mean 'web*'?" });
  });

  it('are those that the blacklist or the recursion guard refuses before', () => {
    const found = lint({
      peer: { 'web.*': ['publish\\.', 'cmd\\.run$', 'test\\.'] },
      publisher_acl_blacklist: { modules: ['cmd.*', 'file'] },
    });
    expect(on(found, 'peer.web.*[0]')).toEqual(['unreachable']);
    expect(on(found, 'peer.web.*[1]')).toEqual(['unreachable cmd.run']);
    expect(on(found, 'peer.web.*[2]')).toEqual([]);
    expect(on(found, 'publisher_acl_blacklist.modules[1]')).toEqual(['denies-less file.run']);
  });

  it('are regular expressions where a glob is read, and targets that nobody is inside of', () => {
    const found = lint({
      publisher_acl: { fred: [{ 'web.*': ['a\\.'] }, { 'mail*': ['a\\.'] }, { 'web*': ['a\\.'] }] },
    });
    expect(on(found, 'publisher_acl.fred[0].web.*')).toEqual(['never-matches webx', 'empty-target']);
    expect(on(found, 'publisher_acl.fred[1].mail*')).toEqual(['empty-target']);
    expect(on(found, 'publisher_acl.fred[2].web*')).toEqual([]);
  });

  it('say nothing of empty targets without an inventory', () => {
    const view = viewPolicy({ publisher_acl: { fred: [{ 'mail*': ['a\\.'] }] } });
    expect(lintPolicy(view, fleetOfRules(view)).filter(({ code }) => code === 'empty-target')).toEqual([]);
  });
});

describe('rules that add nothing', () => {
  it('say again what another says, or less', () => {
    const found = lint({
      publisher_acl: { fred: ['pkg\\.', 'pkg\\.install$', 'pkg\\.', { 'web*': ['pkg\\.'] }, { 'web*': ['a\\.b$'] }] },
    });
    expect(on(found, 'publisher_acl.fred[1]')).toEqual(['unreachable']);
    expect(on(found, 'publisher_acl.fred[2]')).toEqual(['duplicate']);
    expect(on(found, 'publisher_acl.fred[3].web*[0]')).toEqual(['unreachable']);
    expect(on(found, 'publisher_acl.fred[4].web*[0]')).toEqual([]);
  });

  it('are not those with a condition less, another branch, or an optional last letter', () => {
    const conditional = [{ 'a\\.b$': [{ args: ['x$'] }] }];
    const found = lint({
      publisher_acl: {
        x: [{ 'web*': conditional }, { 'web*': ['a\\.b$'] }],
        y: ['ab', 'ab?\\.c$', 'ab|c'],
        z: ['a\\.b', { 'db*': ['a\\.bc$'] }],
      },
    });
    const codes = found
      .filter(({ code }) => code === 'unreachable' || code === 'duplicate')
      .map(({ path }) => showPath(path));
    expect(codes).toEqual(['publisher_acl.x[0].web*[0]', 'publisher_acl.z[1].db*[0]']);
  });
});

it('calls nothing superfluous that the rest of the list does not permit', () => {
  const token = fc.constantFrom(
    'a',
    'b',
    '\\.',
    '.',
    '.*',
    'a*',
    '(a|b)',
    '|',
    'b?',
    '$',
    '[ab]',
    'a+',
    '(?:ab)+',
    'a{2}',
    '{',
    '^',
  );
  const pattern = fc.array(token, { maxLength: 4 }).map((tokens) => tokens.join(''));
  const names = fc.array(fc.array(fc.constantFrom('a', 'b', '.'), { minLength: 1, maxLength: 5 }).map((chars) => chars.join('')), { minLength: 30, maxLength: 30 }); // prettier-ignore
  let found = 0;
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 2, maxLength: 4 }), names, (list, texts) => {
      const tests = list.map((source) => compilePattern(source, { mode: 'prefix' }));
      const flagged = new Set(
        lint(forFred(...list))
          .filter(({ code }) => code === 'unreachable' || code === 'duplicate')
          .map(({ path }) => Number(path[2])),
      );
      found += flagged.size;
      const kept = tests.filter((_, at) => !flagged.has(at));
      const permits = (some: typeof tests, text: string) => some.some((test) => test.ok && test.value.test(text));
      for (const text of texts) expect(permits(kept, text)).toBe(permits(tests, text));
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(40);
});

it('names the divergence of what Salt reads otherwise', () => {
  const found = lint({
    publisher_acl: { 'admin|manager_.*': ['@runner'], joe: 'test.*' },
    external_auth: { pam: { 'ops.*': [{ 'G@os:Debian': ['a\\.'] }] } },
    peer: { 'web.*': [{ '*': [{ 'a\\.': { args: ['x$'] } }] }] },
  });
  const named = found.flatMap(({ path, divergence }) =>
    divergence === undefined ? [] : [`${showPath(path)} ${divergence}`],
  );
  expect(named).toEqual([
    'publisher_acl.joe non-list-user-value',
    'publisher_acl.admin|manager_.* alternation-not-grouped',
    'external_auth.pam.ops.* eauth-user-match-reversed',
    'external_auth.pam.ops.*[0].G@os:Debian unknown-data-counts-as-match',
    'peer.web.*[0].*[0] conditions-see-raw-arguments',
    'publisher_acl.admin|manager_.*[0] local-key-opens-runners',
  ]);
  expect(found.find(({ divergence }) => divergence === 'alternation-not-grouped')?.witness).toEqual(['administrator']);
});

it.each([
  ['first.last', ['firstxlast']],
  ['fred@example.org', ['fred@examplexorg']],
  ['first\\.last', undefined],
  ['fred', undefined],
  ['group.x%', undefined],
])('tells that a dot in a name of external_auth is any character here, and in Salt itself: %s', (key, witness) => {
  const found = lint({ external_auth: { pam: { [key]: ['a\\.'] } } });
  const told = (code: string) => found.find((one) => one.code === code);
  expect(told('covers-more')?.witness).toEqual(witness);
  const difference = found.find(({ message }) => message.includes('in Salt it does not'));
  expect(difference?.witness).toEqual(witness);
  if (witness !== undefined) expect(difference?.divergence).toBe('eauth-user-match-reversed');
});

describe('a login of external_auth that is its own key', () => {
  const told = (key: string) =>
    lint({ external_auth: { pam: { [key]: ['a\\.'] } } })
      .filter(({ divergence }) => divergence === 'eauth-user-match-reversed')
      .map(({ message }) => message);

  it.each(['CORP\\bob', 'c++dev', 'fred ann', 'fred,ann', '%wheel', 'cn=salt-admins,ou=groups,dc=x', '$USER'])(
    'is found in Salt too, and nobody else is in either: %s',
    (key) => {
      expect(told(key)).toEqual([]);
    },
  );

  it.each([
    ['john+doe@x.org', 'johndoe@x.org'],
    ['svc$', 'svc'],
    ['CORP\\dave', 'CORP1ave'],
    ['josé+ana', 'joséana'],
  ])('names others besides only here: %s', (key, witness) => {
    expect(told(key)).toEqual([`'${key}' is a pattern, so that it names '${witness}' too; in Salt it does not`]);
  });

  it.each(['steve|admin.*', 'admin*', 'first\\.last', '(a|b)c'])('is nobody’s where it is a pattern: %s', (key) => {
    expect(told(key)).toEqual([
      `'${key}' is the pattern and the login the text; Salt compares them the other way round, so that it names nobody there`,
    ]);
  });
});

it('finds nothing in lists that say what they mean', () => {
  const config = {
    peer: { 'web\\d+$': [{ 'web*': ['test\\.ping$', 'pkg\\.'] }] },
    peer_run: { 'web\\d+$': ['manage\\.up$'] },
    reactor_grants: { announce$: ['test\\.ping$', '@event'] },
  };
  expect(lint(config)).toEqual([]);
});

describe('inventories', () => {
  it('are read as the corpus writes them, and as ids with grains', () => {
    const corpus = readFleet({ accepted: ['a', 'b', 'c'], cache: { a: { grains: { os: 'X' }, pillar: {} }, b: null } });
    const plain = readFleet({ a: { os: 'X' }, c: null });
    if (!corpus.ok || !plain.ok) throw new Error('not read');
    expect(['a', 'b', 'c'].map((id) => corpus.value.dataOf(id))).toEqual([
      { grains: { os: 'X' }, pillar: {} },
      null,
      undefined,
    ]);
    expect(['a', 'c'].map((id) => plain.value.dataOf(id))).toEqual([{ grains: { os: 'X' }, pillar: {} }, undefined]);
    expect(readFleet({ 'a/b': {} })).toEqual({ ok: false, error: "'a/b' is no valid minion id" });
  });

  it('are the ids of the rules when there is none', () => {
    const view = viewPolicy({
      peer: { 'db\\.one$': [] },
      nodegroups: { g: 'n1,n2' },
      publisher_acl: { fred: [{ 'web1 or L@a,b or N@g': [] }] },
    });
    expect([...fleetOfRules(view).accepted].sort()).toEqual(['a', 'b', 'db.one', 'n1', 'n2', 'web1']);
  });
});
