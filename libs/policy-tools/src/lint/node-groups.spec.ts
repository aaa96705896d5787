import { type PolicyConfig, requestTarget } from '@natrium/acl';
import { fleetOf } from '../fleet.js';
import { showPath, viewPolicy } from '../policy-view.js';
import { lintPolicy } from './lint.js';

const fleet = fleetOf(['web1', 'db1']);

function told(nodegroups: NonNullable<PolicyConfig['nodegroups']>): readonly string[] {
  return lintPolicy(viewPolicy({ nodegroups }), fleet).map(
    ({ severity, path, message, mend }) => `${severity} ${showPath(path)}: ${message}; ${mend ?? ''}`,
  );
}

const SHAPE = 'write a compound expression as in spec/targeting.md#compound';

describe('a node group that cannot be used', () => {
  it.each<[string, string | readonly string[], string, string]>([
    ['ends too early', 'G@os:Debian and', 'the expression ends where a term is expected', SHAPE],
    ['is a list with a glob', ['web*', 'db1'], "there is no operator before 'db1'", SHAPE],
    ['has a pattern that is none', ['E@(', 'or', 'db1'], "the pattern '(' cannot be used: a ( is never closed", SHAPE],
    [
      'asks a range server',
      'R@%foo',
      "there is no range server for 'R@%foo'",
      "write ids or a pattern of them: 'L@a,b', 'E@web.*'",
    ],
    [
      'is all that is in it',
      'N@bad',
      'the expression is empty',
      'a group inside of itself counts for nothing: write whom it means',
    ],
    [
      'names one that is not there',
      'N@nosuch and web*',
      "'and' stands where a term is expected",
      "define 'nosuch' under nodegroups, or leave it out",
    ],
    ['is in the only one that it names', 'N@around', 'the expression is empty', 'write whom it means, or remove it'],
  ])('is told of with the words of the refusal: it %s', (_, bad, reason, mend) => {
    const nodegroups = { good: 'web*', bad, around: 'N@bad' };
    expect(told(nodegroups)).toContain(
      `warning nodegroups.bad: the node group 'bad' cannot be used: ${reason}; ${mend}`,
    );
    const { policy } = viewPolicy({ nodegroups });
    expect(requestTarget(policy, { tgt: 'bad', tgtType: 'nodegroup' }, fleet).problem).toBe(reason);
  });

  it('is told of where it stands, in a list of mappings too', () => {
    expect(told([{ a: 'web1' }, { a: 'web1 and' }])).toEqual([
      `warning nodegroups[1].a: the node group 'a' cannot be used: the expression ends where a term is expected; ${SHAPE}`,
    ]);
  });

  it('is told of once where it is a problem', () => {
    expect(told({ n: 5 })).toEqual([
      'problem nodegroups.n: a node group is text or a list of texts; write a compound expression',
    ]);
  });
});

it('a node group that names one that is not there counts without it', () => {
  expect(told({ a: 'web1 N@x' })).toEqual([
    "warning nodegroups.a: there is no node group 'x', so that 'N@x' counts for nothing; define 'x' under nodegroups, or leave it out",
  ]);
});

it.each([['G@os'], ['web1 or G@os']])('a node group with a term that means nobody says so: %s', (group) => {
  expect(told({ group })).toEqual([
    `warning nodegroups.group: a term of the node group 'group' means nobody: 'os' has no ':' between key and value; ${SHAPE}`,
  ]);
});

it.each<[string | readonly string[]]>([
  [''],
  ['web1, db1'],
  ['web1 db1'],
  [['web1', 'db1']],
  ['not web*'],
  ['L@web1,db1 and web*'],
  [['N@other', 'or', 'web1']],
  ['web?'],
])('a node group that can be used is not told of: %j', (group) => {
  expect(told({ group, other: 'db1' })).toEqual([]);
});
