import type { PolicyConfig } from '@natrium/acl';
import { compilePattern } from '@natrium/matchers';
import { fleetOf } from '../fleet.js';
import { viewPolicy } from '../policy-view.js';
import type { Finding } from './finding.js';
import { lintPolicy } from './lint.js';

function lint(config: PolicyConfig): readonly Finding[] {
  return lintPolicy(viewPolicy(config), fleetOf(['web1']));
}

/** Of rules that open too much or never match: code, witnesses, mend. */
function told(found: readonly Finding[]): readonly string[] {
  return found
    .filter(({ severity }) => severity === 'warning')
    .map(({ code, witness = [], mend }) => [code, ...witness, ...(mend === undefined ? [] : [`(${mend})`])].join(' '));
}

describe('a pattern of functions', () => {
  it.each([
    ['(test|pkg)\\.ping', 'covers-more test.ping_evil (write (?:(test|pkg)\\.ping)$)'],
    ['test\\.ping|pkg\\.install', 'covers-more test.ping_evil (write (?:test\\.ping|pkg\\.install)$)'],
    ['(test|pkg)', 'covers-more testutil.x (write (?:(test|pkg))\\.)'],
  ])('that is open at its end is closed where it ends: %s', (pattern, expected) => {
    expect(told(lint({ publisher_acl: { fred: [pattern] } }))).toEqual([
      expected.replace(/write (.*)\)/, "write '$1')"),
    ]);
  });

  it.each(['(?:test|pkg)\\.', '(?:test|pkg)\\..*', '[pq]kg\\.', 'test\\..*|pkg\\.install$'])(
    'that names whole modules is what it says: %s',
    (pattern) => {
      expect(told(lint({ publisher_acl: { fred: [pattern] } }))).toEqual([]);
    },
  );

  it.each([
    ['(test\\.ping$|disk\\..*)', []],
    ['(?:disk|status)\\.(?:usage$|up(?:time$|.*))', []],
    ['(?i)(?P<n>test\\.ping$|pkg\\.)', []],
    ['a\\.(b$|c)', ["covers-more a.c_evil (write '(?:a\\.(b$|c))$')"]],
    ['a\\.(b.*|(?:c$|d))', ["covers-more a.d_evil (write '(?:a\\.(b.*|(?:c$|d)))$')"]],
    ['a\\.(b$|c.*)d', ["covers-more a.cxd_evil (write '(?:a\\.(b$|c.*)d)$')"]],
  ])('that ends in branches of a group is open only in those that nobody wanted open: %s', (pattern, expected) => {
    expect(told(lint({ publisher_acl: { fred: [pattern] } }))).toEqual(expected);
  });

  it('that names modules and functions gets no mend that would take the modules away', () => {
    const found = lint({ publisher_acl: { fred: ['(?:test\\.|cmd\\.run)'] } });
    expect(told(found)).toEqual(['covers-more cmd.run_evil']);
  });

  it('keeps its flags in front, where they do not stop the start', () => {
    const found = lint({ publisher_acl: { fred: ['(?i)test.ping|cmd.run'] } });
    expect(told(found)).toEqual(["covers-more test.ping_evil (write '(?i)(?:test.ping|cmd.run)$')"]);
  });

  it('is given no mend that would stop the start', () => {
    expect(told(lint({ publisher_acl: { fred: ['(?!cmd)a\\.b|c\\.d'] } }))).toEqual(['covers-more a.b_evil']);
  });

  it.each([
    ['a\\.b\\$', 'a.b$-more'],
    ['b$|a', 'a-more'],
  ])('is closed by a dollar that is none itself, and in each branch: %s', (pattern, witness) => {
    const found = lint({ publisher_acl: { fred: [{ 'web*': [{ 'x\\.y$': { args: [pattern] } }] }] } });
    expect(told(found).join()).toContain(witness);
    const closed = pattern.includes('|') ? 'b$|a$' : 'a\\.b$';
    expect(told(lint({ publisher_acl: { fred: [{ 'web*': [{ 'x\\.y$': { args: [closed] } }] }] } }))).toEqual([]);
  });

  it.each(['test.ping', 'pkg', 'state*', 'te', '(a|b)c.d+', '(?i)x\\.y|z\\.w', 'a\\.(b|c)'])(
    'permits with the mend an ordinary function that it permitted before: %s',
    (pattern) => {
      const found = lint({ publisher_acl: { fred: [pattern] } });
      const [, text = '?'] = /^write '(.*)'$/.exec(found.find(({ mend }) => mend !== undefined)?.mend ?? '') ?? [];
      const mend = compilePattern(text, { mode: 'prefix' });
      const ordinary = ['test.ping', 'pkg.install', 'state.apply', 'te.x', 'ac.d', 'bc.d', 'x.y', 'z.w', 'a.b', 'a.c'];
      expect(ordinary.some((fun) => mend.ok && mend.value.test(fun))).toBe(true);
    },
  );
});

describe('a pattern below @module, which sees the function’s own name', () => {
  const below = (word: string, ...patterns: readonly string[]) =>
    told(lint({ publisher_acl: { fred: [{ [word]: patterns }] } }));

  it('is closed so that it still permits that function', () => {
    expect(below('@jobs', 'lookup_jid')).toEqual(["covers-more lookup_jid_evil (write 'lookup_jid$')"]);
    expect(below('@jobs', 'lookup_jid$')).toEqual([]);
    expect(below('@jobs', 'list_.*')).toEqual([]);
  });

  it('that covers every name covers every function of that module, and no other', () => {
    const [first] = lint({ publisher_acl: { fred: [{ '@jobs': ['.*'] }] } });
    expect(first).toMatchObject({ code: 'covers-everything', message: "'.*' covers every function of jobs" });
  });

  it('that names the module again never matches', () => {
    expect(below('@jobs', 'jobs.active', 'jobs\\.list_.*')).toEqual([
      "never-matches (write its own name: 'active$')",
      "never-matches (write its own name: 'list_x$')",
    ]);
  });

  it.each([
    ['@runner', 'every runner'],
    ['@wheels', 'every function of the wheel'],
  ])('is one of whole names below %s', (word, all) => {
    const [first] = lint({ publisher_acl: { fred: [{ [word]: ['.*'] }] } });
    expect(first?.message).toBe(`'.*' covers ${all}`);
    expect(below(word, 'jobs.active')).toEqual(["covers-more jobs.active_evil jobsXactive (write 'jobs\\.active$')"]);
  });
});

it('a pattern of peer_run that covers every name covers every runner, and no function of a minion', () => {
  const found = lint({ peer_run: { web1$: ['.*'] } }).map(({ message }) => message);
  expect(found.filter((message) => message.includes(' covers '))).toEqual(["'.*' covers every runner"]);
});
