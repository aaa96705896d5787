/** Whether a caller guesses at pillar: of what it wrote itself. Rules of spec/acl.md. */
import type { Inventory } from '@natrium/matchers';
import { compilePolicy } from './compile-policy.js';
import { requestTarget } from './requested-target.js';

describe('a requested target', () => {
  const fleet: Inventory = {
    accepted: new Set(['web1', 'db1']),
    dataOf: () => ({ grains: {}, pillar: { role: 'web' } }),
  };
  const { policy } = compilePolicy({ nodegroups: { fronts: 'I@role:w* and web*', both: 'N@fronts or db1' } });
  const asked = (tgt: string, tgtType: string) => requestTarget(policy, { tgt, tgtType }, fleet);

  it.each([
    ['I@role:w*', 'compound'],
    ['not J@role:web', 'compound'],
    ['N@fronts', 'compound'],
    ['role:w*', 'pillar'],
  ])('guesses at pillar with the pattern in %s (%s)', (tgt, tgtType) => {
    expect(asked(tgt, tgtType).guessesPillar).toBe(true);
  });

  it.each([
    ['fronts', ['web1']],
    ['both', ['web1', 'db1']],
  ])('does not where it names the group %s, whose pattern is the master’s', (tgt, minions) => {
    const { guessesPillar, minions: meant } = asked(tgt, 'nodegroup');
    expect({ guessesPillar, meant }).toEqual({ guessesPillar: false, meant: minions });
  });
});
