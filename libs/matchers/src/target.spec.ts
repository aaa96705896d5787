/** Rules of spec/targeting.md: every type, three readings of unknown data, compound expressions. */
import { jest } from '@jest/globals';
import type { Target, Value } from '@natrium/model';
import { quickest } from '@natrium/testing';
import { RE2JS } from 're2js';
import type { Inventory, MinionData } from './inventory.js';
import { readNodeGroups } from './node-group.js';
import { certainlyMatches, matchesSelf, resolve, type ResolveMode } from './resolve.js';
import { Room } from './room.js';
import { parseTarget, type TargetExpr } from './target.js';

const GROUPS = readNodeGroups({
  webs: 'web1,web2',
  list: ['db1', 'web1'],
  nested: 'N@webs or G@os:RedHat',
  self: 'N@self or web1',
  wrong: 5,
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

  it('counts an id once that is named twice, whoever has it', () => {
    const twice = (tgt: Target['tgt'], type: string) => resolve(parse(tgt, type), FLEET, 'greedy');
    for (const tgt of ['web1,z,z,web1', ['web1', 'z', 'z', 'web1']])
      expect(twice(tgt, 'list')).toEqual({ minions: ['web1'], missing: ['z'] });
    expect(twice('L@web1,z or L@z,web1', 'compound')).toEqual({ minions: ['web1'], missing: ['z'] });
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

  it.each<[string, number, string, (length: number) => string]>([
    ['list', 4_194_304, 'longer than 4194304', (length) => 'a'.repeat(length)],
    ['glob', 1024, 'longer than 1024', (length) => 'a'.repeat(length)],
    ['pcre', 8192, 'longer than 8192', (length) => 'a'.repeat(length)],
    ['compound', 65_536, 'longer than 65536', (length) => `L@${'a'.repeat(length - 2)}`],
    ['compound', 200, 'nested too deeply', (depth) => `${'( '.repeat(depth)}a${' )'.repeat(depth)}`],
  ])('as %s is read up to a bound of %i, and one more is %s', (tgtType, most, refusal, make) => {
    const reasons = [most, most + 1].map((size) => reason(make(size), tgtType));
    expect(reasons).toEqual(['', expect.stringContaining(refusal)]);
  });

  it('as compound has 10,000 words at most, with those of its node groups', () => {
    const words = (count: number) => Array.from({ length: count }, (_, n) => (n % 2 === 0 ? 'a' : 'or'));
    const nodegroups = readNodeGroups({ half: words(4999), more: words(5001) });
    const read = (tgt: string) => parseTarget({ tgt, tgtType: 'compound' }, { nodegroups });
    expect(read('not N@half or N@half')).toMatchObject({ ok: true });
    expect(read('N@half or N@more')).toEqual({
      ok: false,
      error: { reason: 'the expression has more than 10000 words' },
    });
  });

  it('as compound reads a node group once, however often it names it, and nothing behind 10,000 words', () => {
    const asked: string[] = [];
    class Groups extends Map<string, Value> {
      override get(name: string): Value | undefined {
        asked.push(name);
        return super.get(name);
      }
    }
    const ids = Array.from({ length: 100 }, (_, n) => `web${String(n)}`);
    const nodegroups = new Groups([
      ['ids', ids],
      ['many', Array.from({ length: 5999 }, (_, n) => (n % 2 === 0 ? 'a' : 'or'))],
      ['later', ids],
    ]);
    const read = (tgt: string) => {
      asked.length = 0;
      const parsed = parseTarget({ tgt, tgtType: 'compound' }, { nodegroups });
      return { asked: [...asked], ok: parsed.ok };
    };
    expect(read('N@ids or '.repeat(900) + 'db1')).toEqual({ asked: ['ids'], ok: true });
    expect(read('N@many or '.repeat(600) + 'N@later')).toEqual({ asked: ['many'], ok: false });
  });

  it('as compound keeps the ids of a node group once, and names those that nobody has once', () => {
    const termsOf = (expr: TargetExpr['root']): readonly unknown[] => {
      if (expr.kind === 'term') return [expr.term];
      return expr.kind === 'not' ? termsOf(expr.item) : [...termsOf(expr.left), ...termsOf(expr.right)];
    };
    expect(new Set(termsOf(parse('N@webs or not N@webs', 'compound').root)).size).toBe(1);
    const nodegroups = readNodeGroups({ gone: ['web1', 'gone'] });
    const parsed = parseTarget({ tgt: 'N@gone or N@gone', tgtType: 'compound' }, { nodegroups });
    expect(parsed.ok && resolve(parsed.value, FLEET, 'greedy').missing).toEqual(['gone']);
  });

  it('as compound has no more patterns than are made in half a second, each as long as its counts make it', () => {
    const patterns = (count: number) =>
      Array.from({ length: count }, (_, n) => `E@${n.toString(36)}x{990}`).join(' or ');
    expect([reason(patterns(32), 'compound'), minions(patterns(32), 'compound')]).toEqual(['', []]);
    expect(reason(patterns(34), 'compound')).toContain('too large');
    expect(reason(`E@${'a|'.repeat(4000)}b`, 'compound')).toBe('');
  });

  it('is read without making any of its patterns: that is done for whoever may ask', () => {
    const made = jest.spyOn(RE2JS, 'compile');
    const target = parse('E@[ab]x{990} or P@os:[DR]{1,9}', 'compound');
    expect(made).not.toHaveBeenCalled();
    resolve(target, FLEET, 'greedy');
    expect(made).toHaveBeenCalledTimes(2);
    made.mockRestore();
  });

  it('may name more ids in a compound than it has room for patterns', () => {
    const ids = Array.from({ length: 2000 }, (_, index) => `web${index}.prod.example.com`).join(',');
    expect(minions(`L@${ids},web1 or db1`, 'compound')).toEqual(['db1', 'web1']);
    expect(minions([`L@${ids},web1`, 'or', 'db1'], 'compound', 'strict')).toEqual(['db1', 'web1']);
    expect(reason(`L@${ids} or ${'a'.repeat(8193)}`, 'compound')).toContain('longer than 8192');
    expect(reason(`L@${ids},${'a'.repeat(20_000)}`, 'compound')).toContain('longer than 65536');
    expect(reason(`L@${ids}`, 'pcre')).toContain('longer than 8192');
    expect(reason('a'.repeat(8193), 'compound_pillar_exact')).toContain('longer than 8192');
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

  it('passes over what is no address in somebody’s grains', () => {
    const odd: Inventory = {
      accepted: new Set(['a', 'b']),
      dataOf: (id) => ({ grains: { ipv4: id === 'a' ? ['10.0.0.300', 5] : ['10.0.0.7'] }, pillar: {} }),
    };
    expect(resolve(parse('10.0.0.0/24', 'ipcidr'), odd, 'greedy').minions).toEqual(['b']);
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

  it('leaves a level of any name to the data, also before a regular expression', () => {
    expect(parse('*:deb', 'grain_pcre').problems).toEqual([]);
    expect(minions('P@*:deb', 'compound', 'strict')).toEqual(['web1']);
    expect(minions('not P@*:deb', 'compound', 'strict')).toEqual(['blank', 'db1', 'web2']);
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
  it('is split at what Python calls white space, which a byte order mark is not', () => {
    for (const blank of ['\t', '\u001c', '\u0085', '\u00a0', '\u3000'])
      expect(minions(`web1${blank}or${blank}db1`, 'compound')).toEqual(['db1', 'web1']);
    expect(minions('web1\ufeff', 'compound')).toEqual([]);
    expect(minions('web2 or web1\ufeff', 'compound')).toEqual(['web2']);
  });

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

describe('a target of which finding out whom it means takes too long', () => {
  const accepted = new Set(Array.from({ length: 3000 }, (_, index) => `web${String(index)}`));
  /** Each look at the clock is twenty milliseconds later than the one before. */
  const slow = (): Inventory => {
    let ms = 0;
    return { accepted, dataOf: () => ({ grains: { os: 'Debian' }, pillar: {} }), now: () => (ms += 20) };
  };
  const given = (tgt: string, tgtType: string, inventory: Inventory) =>
    (['greedy', 'strict', 'cached'] as const).map((mode) => {
      const { minions, gaveUp } = resolve(parse(tgt, tgtType), inventory, mode);
      return gaveUp ?? minions.length;
    });

  it.each([
    ['web[0-9]+', 'pcre'],
    ['os:Debian', 'grain'],
    ['web* and not E@db.*', 'compound'],
  ])('means nobody and is given up: %s (%s)', (tgt, tgtType) => {
    expect(given(tgt, tgtType, slow())).toEqual([true, true, true]);
    expect(given(tgt, tgtType, { ...slow(), accepted: new Set([...accepted].slice(0, 1000)) })).toEqual([
      1000, 1000, 1000,
    ]);
  });

  it.each([
    ['web*', 'glob'],
    ['web* and not db*', 'compound'],
    [[...accepted].join(','), 'list'],
  ])('is never one of globs and names', (tgt, tgtType) => {
    expect(given(tgt, tgtType, slow())).toEqual([3000, 3000, 3000]);
  });

  it('is found out sooner where much data is looked at: the clock is not left alone for long', () => {
    const large = { grains: { os: Array.from({ length: 100 }, () => 'Debian'.repeat(100)) }, pillar: {} };
    const looks = (inventory: Inventory) => {
      let count = 0;
      resolve(parse('os:*x', 'grain'), { ...inventory, now: () => (count += 1) }, 'greedy');
      return count;
    };
    expect(looks(slow())).toBeLessThan(accepted.size / 10);
    expect(looks({ ...slow(), dataOf: () => large })).toBeGreaterThan(accepted.size / 2);
  });

  it('takes what it takes where no clock is', () => {
    expect(given('web[0-9]+', 'pcre', { accepted, dataOf: () => null })).toEqual([3000, 3000, 3000]);
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

describe('a minion whose data would take more work than any minion is worth', () => {
  const letters = 'a'.repeat(1000);
  const data: ReadonlyMap<string, MinionData> = new Map([
    ['web1', { grains: { os: 'Debian', large: Array.from({ length: 500 }, () => letters) }, pillar: { role: 'web' } }],
    ['web2', { grains: { os: 'Debian', large: [letters] }, pillar: { role: 'web' } }],
  ]);
  const fleet: Inventory = { accepted: new Set(data.keys()), dataOf: (id) => data.get(id) };
  const means = (text: string, mode: ResolveMode) => resolve(parse(text, 'compound'), fleet, mode).minions;
  const costly = 'G@large:*aaaaaaaa[b]';

  it('is one of whom nothing is known, for what comes behind that, too', () => {
    expect(means(costly, 'greedy')).toEqual(['web1']);
    for (const term of [costly, `not ${costly}`, `not ( ${costly} or I@role:db )`])
      expect([term, ...means(term, 'strict')]).toEqual(term === costly ? [term] : [term, 'web2']);
    expect(means(`G@os:Debian or ${costly}`, 'strict')).toEqual(['web1', 'web2']);
    expect(means(`${costly} or G@os:Debian`, 'strict')).toEqual(['web2']);
  });

  it('is one of whom a pattern with counts makes out nothing, as often as it repeats', () => {
    for (const [term, known] of [
      ['P@large:(?:b?a){1,2}b', ['web1', 'web2']],
      ['P@large:(?:b?a){1,300}b', ['web2']],
    ] as const)
      expect([term, ...means(`not ${term}`, 'strict')]).toEqual([term, ...known]);
  });

  it('has one measure for several targets where that is asked for', () => {
    const room = new Room();
    const isMeant = (text: string) => certainlyMatches(parse(text, 'compound'), fleet, 'web1', room);
    expect(isMeant('G@large:aaa*')).toBe(true);
    expect(isMeant(costly)).toBe(false);
    expect([room.isSpent, isMeant('G@large:aaa*'), isMeant('web1')]).toEqual([true, false, true]);
  });

  it('is nothing to what is cheap, nor to the next target', () => {
    expect(means('G@large:aaa*', 'strict')).toEqual(['web1', 'web2']);
    expect(means('G@os:[D]ebian', 'strict')).toEqual(['web1', 'web2']);
  });
});

it.each([
  ['web1', 'glob', 0],
  ['web1,web2', 'list', 0],
  ['web*', 'glob', 1],
  ['*[ab]?', 'glob', 4],
  ['web.*[ab]+x', 'pcre', 7],
  ['web\\d{3}', 'pcre', 7],
  ['(?:a?.){1,300}[yz]', 'pcre', 602],
  ['x:(?:a?.){1,300}[yz]', 'grain_pcre', 605],
  ['os:Debian', 'grain', 4],
  ['os:*[ab]', 'grain', 6],
  ['role:.*x', 'pillar_pcre', 6],
  ['web* or L@a,b or G@os:Debian', 'compound', 6],
])('%s (%s) takes %i tests of a plain name for each minion', (tgt, tgtType, work) => {
  expect(parse(tgt, tgtType).work).toBe(work);
});
