/** Rules of spec/targeting.md: every type, three readings of unknown data, compound expressions, node groups. */
import type { Target } from '@natrium/model';
import { quickest } from '@natrium/testing';
import type { Inventory, MinionData } from './inventory.js';
import { expandNodeGroup, readNodeGroups } from './node-group.js';
import { certainlyMatches, matchesSelf, resolve, type ResolveMode } from './resolve.js';
import { parseTarget, type TargetExpr } from './target.js';

const GROUPS = readNodeGroups({
  webs: 'web1,web2',
  list: ['db1', 'web1'],
  nested: 'N@webs or G@os:RedHat',
  self: 'N@self or web1',
  wrong: 5,
  star: 'web*',
  rx: 'web?',
});

const DATA = new Map<string, MinionData | null>([
  ['web1', { grains: { os: 'Debian', ipv4: ['10.0.0.1'] }, pillar: { role: 'web' } }],
  ['web2', { grains: { os: 'RedHat', ipv4: ['10.0.1.2'] }, pillar: { role: 'webby' } }],
  ['db1', { grains: { os: 'RedHat' }, pillar: {} }],
  ['blank', null],
  ['gone', { grains: { os: 'Debian' }, pillar: {} }],
]);

const FLEET: Inventory = {
  accepted: new Set(['web1', 'web2', 'db1', 'new1', 'blank']),
  dataOf: (id) => DATA.get(id),
  stale: ['gone'],
};

function parse(tgt: Target['tgt'], tgtType: string, delimiter?: string): TargetExpr {
  const parsed = parseTarget(
    { tgt, tgtType, ...(delimiter === undefined ? {} : { delimiter }) },
    { nodegroups: GROUPS },
  );
  if (!parsed.ok) throw new Error(parsed.error.reason);
  return parsed.value;
}

function minions(tgt: Target['tgt'], tgtType: string, mode: ResolveMode = 'greedy'): readonly string[] {
  return [...resolve(parse(tgt, tgtType), FLEET, mode).minions].sort();
}

function reason(tgt: Target['tgt'], tgtType: string): string {
  const parsed = parseTarget({ tgt, tgtType }, { nodegroups: GROUPS });
  return parsed.ok ? '' : parsed.error.reason;
}

const minionsOf = (tgt: string, tgtType: string) => resolve(parse(tgt, tgtType, ''), FLEET, 'greedy').minions;

describe('a target', () => {
  it.each([
    ['web*', 'glob', ['web1', 'web2']],
    ['we', 'glob', []],
    ['we', 'pcre', ['web1', 'web2']],
    ['web1,gone,,db1', 'list', ['db1', 'web1']],
    ['os:RedHat', 'grain', ['db1', 'new1', 'web2']],
    ['os:(Red|X)', 'grain_pcre', ['db1', 'new1', 'web2']],
    ['role:web', 'pillar', ['new1', 'web1']],
    ['role:web', 'pillar_pcre', ['new1', 'web1', 'web2']],
    ['role:web*', 'pillar_exact', ['new1']],
    ['10.0.0.0/24', 'ipcidr', ['new1', 'web1']],
    ['webs', 'nodegroup', ['web1', 'web2']],
    ['nested', 'nodegroup', ['db1', 'new1', 'web1', 'web2']],
  ])('%s as %s means %j', (tgt, tgtType, expected) => {
    expect(minions(tgt, tgtType)).toEqual(expected);
  });

  it('reports the ids of a list that nobody has, but not those it excludes', () => {
    expect(resolve(parse('web1,gone', 'list'), FLEET, 'greedy').missing).toEqual(['gone']);
    expect(resolve(parse('L@web1,x and not L@y', 'compound'), FLEET, 'greedy').missing).toEqual(['x']);
  });

  it.each([
    ['web1', 'Glob', "there is no target type 'Glob'"],
    ['%x', 'range', 'no range server'],
    ['[', 'pcre', 'cannot be used'],
    ['none', 'nodegroup', 'Node group none unavailable'],
    ['wrong', 'nodegroup', 'malformed'],
    ['self', 'nodegroup', "'or' stands where a term is expected"],
    [['a'], 'glob', 'is text, not a list'],
    ['a'.repeat(9000), 'compound', 'longer than'],
  ])('%j as %s is refused with a reason', (tgt, tgtType, expected) => {
    expect(reason(tgt, tgtType)).toContain(expected);
  });

  it('that is text with commas has no member without a name; of a list it is missing', () => {
    const meant = (tgt: Target['tgt']) => {
      const { minions, missing } = resolve(parse(tgt, 'list'), FLEET, 'greedy');
      return { minions: [...minions], missing: [...missing] };
    };
    expect(meant('web1,,')).toEqual({ minions: ['web1'], missing: [] });
    expect(meant(['web1', ''])).toEqual({ minions: ['web1'], missing: [''] });
  });

  it('needs a delimiter only where it divides something', () => {
    expect(minionsOf('web1', 'glob')).toEqual(['web1']);
    expect(minionsOf('web1', 'pcre')).toEqual(['web1']);
    expect(() => minionsOf('os:x', 'grain')).toThrow();
  });

  it('takes another delimiter', () => {
    expect([...resolve(parse('os|Debian', 'grain', '|'), FLEET, 'strict').minions]).toEqual(['web1']);
  });
});

describe('unknown data', () => {
  it('is inside a request, never certainly inside a permission, and not in the cache', () => {
    expect(minions('os:Debian', 'grain')).toEqual(['new1', 'web1']);
    expect(minions('os:Debian', 'grain', 'strict')).toEqual(['web1']);
    expect(minions('os:Debian', 'grain', 'cached')).toEqual(['gone', 'web1']);
  });

  it('is not certainly outside either, so no negation permits it', () => {
    expect(minions('not G@os:Debian', 'compound')).toEqual(['blank', 'db1', 'web2']);
    expect(minions('not G@os:Debian', 'compound', 'strict')).toEqual(['blank', 'db1', 'web2']);
    expect(minions('not ( G@os:Debian or I@role:web )', 'compound', 'strict')).toEqual(['blank', 'db1', 'web2']);
  });

  it('is what a defective term makes of everyone in a permission', () => {
    expect(minions('not S@bad or web1', 'compound', 'strict')).toEqual(['web1']);
    expect(minions('not G@os or web1', 'compound', 'strict')).toEqual(['web1']);
  });

  it('does not matter where the rest decides', () => {
    expect(certainlyMatches(parse('new* or G@os:Debian', 'compound'), FLEET, 'new1')).toBe(true);
    expect(certainlyMatches(parse('new* and G@os:Debian', 'compound'), FLEET, 'new1')).toBe(false);
  });

  it('is known to the minion itself', () => {
    const data = { grains: { os: 'Debian' }, pillar: {} };
    expect(matchesSelf(parse('G@os:Debian and not db*', 'compound'), 'new1', data)).toBe(true);
    expect(matchesSelf(parse('( not G@os:Debian )', 'compound'), 'new1', data)).toBe(false);
  });
});

describe('a compound expression', () => {
  it.each([
    ['web1 or db1 and web2', ['web1']],
    ['( web1 or db1 ) and web*', ['web1']],
    ['web* not web1', ['web2']],
    ['not ( web* or db* )', ['blank', 'new1']],
    ['N@webs and not N@list', ['web2']],
    ['web1 N@none', ['web1']],
    ['G|@os|RedHat and db*', ['db1']],
    ['X@web1', []],
    ['web1 or S@bad', ['web1']],
  ])('%s means %j', (tgt, expected) => {
    expect(minions(tgt, 'compound')).toEqual(expected);
  });

  it.each([
    'web1 and',
    'and web1',
    '( web1',
    'web1 )',
    '( )',
    'web1 web2',
    'not not web1',
    'not',
    '',
    'E@[',
    'web1 or R@%x',
    'N@none',
  ])('%j selects nobody and is an error, on both sides', (tgt) => {
    expect(reason(tgt, 'compound')).not.toBe('');
  });

  it('names the defects that select less than it says', () => {
    expect(parse('web1 or S@10.0.0.1/8', 'compound').problems).toHaveLength(1);
    expect(parse('G@os', 'compound').problems[0]?.reason).toContain("no ':'");
  });

  it('knows patterns on pillar, from which a caller could guess', () => {
    const guesses = (tgt: string, type: string): boolean => parse(tgt, type).guessesPillar;
    expect(guesses('not I@role:w*', 'compound')).toBe(true);
    expect(guesses('J@role:web', 'compound')).toBe(true);
    expect(guesses('role:web', 'pillar_pcre')).toBe(true);
    expect(guesses('I@role:web and G@os:D*', 'compound')).toBe(false);
    expect(guesses('role:w*', 'pillar_exact')).toBe(false);
  });
});

describe('a node group', () => {
  it('is a list of ids, one expression, or other groups in parentheses', () => {
    expect(expandNodeGroup('list', GROUPS)).toEqual(['L@db1,web1']);
    expect(expandNodeGroup('rx', GROUPS)).toEqual(['E@web?']);
    expect(expandNodeGroup('star', GROUPS)).toEqual(['web*']);
    expect(expandNodeGroup('nested', GROUPS)).toEqual(['(', 'L@web1,web2', 'or', 'G@os:RedHat', ')']);
  });

  it('does not blow up when groups double each other', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`g${index}`, `N@g${index + 1} or N@g${index + 1}`]),
    );
    expect(expandNodeGroup('g0', readNodeGroups({ ...doubling, g40: 'web1' }))?.length ?? 0).toBeLessThan(20_000);
  });

  it.each(['web1 N@bad', 'not web1 N@bad', 'N@around or web1', 'web1 N@around'])(
    'with null in its list spoils what it stands in: %s',
    (tgt) => {
      const nodegroups = readNodeGroups({ bad: ['web1', 'or', null], around: 'N@bad or web2' });
      expect(parseTarget({ tgt, tgtType: 'compound' }, { nodegroups }).ok).toBe(false);
    },
  );

  it('takes a whole number for an id where groups are put together, and nowhere else', () => {
    const nodegroups = readNodeGroups({
      composed: ['N@one', 'or', 5],
      one: 'web1',
      inner: ['web1', 'or', 5],
      around: 'N@inner',
      names: ['web1', 5],
    });
    expect(expandNodeGroup('composed', nodegroups)).toEqual(['(', 'L@web1', 'or', '5', ')']);
    expect(expandNodeGroup('names', nodegroups)).toBeUndefined();
    expect(parseTarget({ tgt: 'around', tgtType: 'nodegroup' }, { nodegroups }).ok).toBe(true);
    expect(parseTarget({ tgt: 'inner', tgtType: 'nodegroup' }, { nodegroups }).ok).toBe(false);
  });

  it('may be given as a list of mappings', () => {
    expect([...readNodeGroups([{ a: 'x' }, { b: 'y' }]).keys()]).toEqual(['a', 'b']);
  });
});

describe('10,000 minions', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `web${index}.example.com`);
  const many: Inventory = {
    accepted: new Set(ids),
    dataOf: (id) => ({ grains: { os: id.endsWith('1.example.com') ? 'Debian' : 'RedHat' }, pillar: {} }),
  };

  it.each([
    ['web1*5.*', 'glob'],
    [ids.join(','), 'list'],
    ['os:Debian', 'grain'],
    ['*a?'.repeat(300), 'glob'],
    ['[a-z]*'.repeat(150), 'pcre'],
  ])('are resolved at once', (tgt, tgtType) => {
    expect(quickest(() => resolve(parse(tgt, tgtType), many, 'greedy'))).toBeLessThan(1000);
  });
});

describe('a pillar of which a part could not be read', () => {
  const doubtful = {
    accepted: new Set(['web1']),
    dataOf: () => ({ grains: { os: 'Debian' }, pillar: { role: 'web' }, pillarInDoubt: true }),
  };
  const means = (text: string, mode: 'greedy' | 'strict') => [
    ...resolve(parse(text, 'compound'), doubtful, mode).minions,
  ];

  it('permits nothing by pillar, negated or not, and everything by grains', () => {
    expect(means('I@role:web', 'strict')).toEqual([]);
    expect(means('not I@locked:true', 'strict')).toEqual([]);
    expect(means('G@os:Debian', 'strict')).toEqual(['web1']);
  });

  it('is read as it stands in a request', () => {
    expect(means('I@role:web', 'greedy')).toEqual(['web1']);
    expect(means('I@role:db', 'greedy')).toEqual([]);
  });
});
