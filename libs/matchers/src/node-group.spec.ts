/** Rules of spec/targeting.md#node-groups. */
import { expandNodeGroup, readNodeGroups } from './node-group.js';
import { parseTarget } from './target.js';

const GROUPS = readNodeGroups({
  webs: 'web1,web2',
  list: ['db1', 'web1'],
  nested: 'N@webs or G@os:RedHat',
  star: 'web*',
  rx: 'web?',
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

  it('has 10,000 words at most, with those of the groups in it', () => {
    const isRead = (count: number) => {
      const all = Array.from({ length: count }, () => 'web1');
      const groups = readNodeGroups({ all, around: ['N@rest'], rest: all.slice(1) });
      return ['all', 'around'].map((name) => expandNodeGroup(name, groups) !== undefined);
    };
    expect([isRead(10_000), isRead(10_001)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it.each([
    [['web1', 5], 'web1 or N@bad'],
    [['web1', null], 'not N@bad'],
    [[5], 'N@around or web1'],
    [[5], 'not N@around'],
    [['N@webs', 5], 'web1 N@around'],
    [[{ a: 'b' }, 'or', 'web1'], 'web1 N@around'],
    [['web1', 'or', 5], 'web1 or N@bad'],
  ])('with the list %j spoils what it stands in: %s', (bad, tgt) => {
    const nodegroups = readNodeGroups({ bad, around: 'N@bad or web2', webs: 'web1' });
    expect(parseTarget({ tgt, tgtType: 'compound' }, { nodegroups })).toMatchObject({
      ok: false,
      error: { reason: expect.stringMatching(/malformed|is no text/) as string },
    });
  });

  it('takes what is no text by its Python text beside an operator within another group, and beside a group in its own list', () => {
    const nodegroups = readNodeGroups({
      composed: ['N@one', 'or', 5, 'or', true],
      beside: ['N@one', null],
      one: 'web1',
      inner: ['web1', 'or', 1.5],
      around: 'N@inner',
      names: ['web1', 5],
    });
    const words = (name: string) => expandNodeGroup(name, nodegroups);
    expect(words('composed')).toEqual(['(', 'L@web1', 'or', '5', 'or', 'True', ')']);
    expect(words('beside')).toEqual(['(', 'L@web1', 'None', ')']);
    expect(words('around')).toEqual(['(', '(', 'web1', 'or', '1.5', ')', ')']);
    expect([words('names'), words('inner')]).toEqual([undefined, undefined]);
    const isRead = (tgt: string) => parseTarget({ tgt, tgtType: 'nodegroup' }, { nodegroups }).ok;
    expect(['composed', 'around', 'inner', 'names'].filter(isRead)).toEqual(['composed', 'around']);
  });

  it('may be given as a list of mappings', () => {
    expect([...readNodeGroups([{ a: 'x' }, { b: 'y' }]).keys()]).toEqual(['a', 'b']);
  });
});
