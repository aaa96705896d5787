/** Whether a caller guesses at pillar: of what it wrote itself; and what finding out takes. Rules of spec/acl.md. */
import type { Inventory } from '@natrium/matchers';
import { compilePolicy } from './compile-policy.js';
import { decide } from './decide.js';
import { requestTarget } from './requested-target.js';
import { TargetMemo } from './target-memo.js';

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

describe('a target of which finding out whom it means takes too long', () => {
  const { policy } = compilePolicy({ peer: { web1: ['test.ping', { '*': ['pkg.*'] }, { 'web1 or db1': ['cmd.*'] }] } });
  const tgt = 'web1 or not E@x[0-9]+';

  /** @param msOfALook What each look at the clock takes. */
  const asked = (fun: string, msOfALook: number, memo?: TargetMemo) => {
    let ms = 0;
    const fleet: Inventory = {
      accepted: new Set(['web1', 'db1']),
      dataOf: () => null,
      revision: 1,
      now: () => (ms += msOfALook),
    };
    const principal = { kind: 'minion', name: 'web1' } as const;
    const target = { tgt, tgtType: 'compound' };
    return decide(policy, { principal, what: 'job', funs: [fun], args: [[]], target }, fleet, memo);
  };

  it('means nobody, whatever rule covers it, and says so', () => {
    for (const fun of ['test.ping', 'pkg.remove', 'cmd.run']) {
      expect(asked(fun, 1)).toMatchObject({ allow: true, minions: ['web1', 'db1'] });
      const late = expect.stringContaining('takes too long') as unknown;
      expect(asked(fun, 3000)).toMatchObject({ allow: true, minions: [], missing: [], nobody: late, defect: late });
    }
    expect(asked('file.read', 3000)).toMatchObject({ allow: false, refusal: { code: 'not_permitted' } });
  });

  it('costs its caller the time that it took, where that is more than could be told beforehand', () => {
    const estimate = asked('test.ping', 0).tests ?? 0;
    expect([estimate > 0, estimate < 20_000]).toEqual([true, true]);
    // The clock is looked at once before and once after, once when the search begins, and before the first of sixteen minions.
    expect(asked('test.ping', 7).tests).toBe(3 * 7 * 20_000);
    expect(asked('test.ping', 3000).tests).toBe(3 * 3000 * 20_000);
  });

  it('is tried anew when it is asked for again', () => {
    const memo = new TargetMemo(10);
    expect(asked('test.ping', 3000, memo)).toMatchObject({ minions: [] });
    expect(asked('test.ping', 1, memo)).toMatchObject({ minions: ['web1', 'db1'] });
    expect(asked('test.ping', 3000, memo)).toMatchObject({ minions: ['web1', 'db1'], tests: 0 });
  });
});
