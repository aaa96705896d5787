/** Rules of tags: which are any, who may fire them, and how a listener names them. */
import { quickest } from '@natrium/testing';
import { readCursor, cursorText } from './cursor.js';
import { compileTags, type MatchType } from './tag-filter.js';
import { minionTagProblem, runnerTagProblem, tagProblem } from './tags.js';

describe('a minion', () => {
  it.each([
    'mytag',
    'minion_start',
    'salt/minion/web1/start',
    'salt/beacon/web1/load/',
    'monitoring/web2',
    'minion/refresh/web1',
  ])('may fire %s', (tag) => {
    expect(minionTagProblem('web1', tag)).toBeUndefined();
  });

  it.each([
    'salt',
    'salt/',
    'salt/minion/web1',
    'salt/minion/web10/start',
    'salt/minion/web2/start',
    'salt/job/1/ret/web1',
    'natrium/gap',
    '',
    'x'.repeat(513),
    'a\n\nb',
    '20261120112404639750',
    'syndic/a/b',
  ])('may not fire %j', (tag) => {
    expect(minionTagProblem('web1', tag)).toBeDefined();
  });

  it('whose id holds a pattern’s signs gets nobody else’s tags', () => {
    expect(minionTagProblem('web*', 'salt/minion/web1/start')).toBeDefined();
  });
});

it('a runner fires nothing of Salt’s own', () => {
  expect(runnerTagProblem('my/custom/event')).toBeUndefined();
  for (const tag of ['salt/key', 'salt/minion//start', 'natrium/gap', '20261120112404639750', 'minion/refresh/web1'])
    expect(runnerTagProblem(tag)).toBeDefined();
});

it('a tag is a text without control characters', () => {
  expect(tagProblem('a b/ä')).toBeUndefined();
  expect(tagProblem('a\tb')).toBeDefined();
  expect(tagProblem(7)).toBeDefined();
});

it.each<[MatchType, string, string, boolean]>([
  ['startswith', 'salt/', 'salt/job', true],
  ['startswith', 'salt/', 'xsalt/', false],
  ['endswith', '/ret', 'a/ret', true],
  ['find', 'job', 'a/job/b', true],
  ['fnmatch', 'salt/*/new', 'salt/job/1/new', true],
  ['fnmatch', 'salt/*', 'xsalt/a', false],
  ['regex', 'j.b', 'a/job/b', true],
  ['regex', '^j.b', 'a/job/b', false],
  ['regex', '(?i)JOB', 'a/job/b', true],
  ['regex', '^salt/job|error', 'my/error', true],
  ['regex', '.*job|error', 'my/error', true],
  ['regex', 'error|^job', 'my/job', false],
  ['expr', 'salt/(job|run)/.*', 'salt/run/1', true],
  ['expr', 'salt/(job|run)', 'salt/run/1', false],
])('%s %s on %s: %s', (match, pattern, tag, expected) => {
  const test = compileTags([pattern], match);
  expect(test.ok && test.value(tag)).toBe(expected);
});

it('a pattern that is none is said to be so, and a hostile one takes no time', () => {
  for (const none of ['(', 'a)(?:b']) expect(compileTags([none], 'regex').ok).toBe(false);
  const slow = compileTags(['(a+)+$'], 'regex');
  const ms = quickest(() => {
    expect(slow.ok && slow.value(`${'a'.repeat(500)}b`)).toBe(false);
  });
  expect(ms).toBeLessThan(1000);
});

it.each(['regex', 'expr'] as const)(
  'what counts hundreds of repeats has no place for hundreds of patterns: %s',
  (match) => {
    const counted = Array.from({ length: 100 }, (_, n) => `(?:a?.){1,${String(300 - n)}}(?:.?a){1,300}Z`);
    expect(compileTags(counted, match)).toEqual({
      ok: false,
      error: 'the regular expressions of one subscription, with all that they count, are too large',
    });
    expect(compileTags(counted, 'find').ok).toBe(true);
    const usual = Array.from({ length: 100 }, (_, n) => `salt/job/.*/ret/web${String(n)}\\.example`);
    expect(compileTags(usual, match).ok).toBe(true);
  },
);

it('a cursor is read as it was written, and nothing else is one', () => {
  const ahead = new Map([['gw-1', 7]]);
  expect(readCursor(cursorText(12, 3, ahead))).toEqual({ sequence: 12, index: 3, ahead });
  for (const text of ['', '1', '1.2~', '1.2~gw:', 'a.b', '1.2~gw:x', '9'.repeat(30)])
    expect(readCursor(text)).toBeUndefined();
});
