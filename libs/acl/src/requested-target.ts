/**
 * A requested target, resolved: whom it means, and which permitted targets it lies in.
 *
 * A target that cannot be read means nobody; so does one that matches nobody. Such a request lies in every permitted target, also in
 * one that is wrong itself: there is nobody that it could reach. One with a pattern that cannot be used means nobody either, but is
 * permitted only where its other terms are.
 *
 * Spec: spec/acl.md#targets.
 */
import { certainlyMatches, type Inventory, parseTarget, resolve, type TargetExpr } from '@natrium/matchers';
import type { Target } from '@natrium/model';
import type { PermittedTarget, Policy } from './policy.js';

export interface RequestedTarget {
  readonly minions: readonly string[];
  readonly missing: readonly string[];
  /** Why nobody is meant, for the caller; undefined when the target is sound. */
  readonly problem: string | undefined;
  readonly guessesPillar: boolean;
  /** Tells whether every minion of it is certainly inside; remembered for each permitted target. */
  readonly covers: (permitted: PermittedTarget) => boolean;
}

export function requestTarget(policy: Policy, target: Target, inventory: Inventory): RequestedTarget {
  const parsed = parseTarget(target, { nodegroups: policy.nodegroups });
  if (!parsed.ok) return nobody(parsed.error.reason);
  const { problems } = parsed.value;
  const asked = resolved(parsed.value, inventory);
  const defect =
    problems.find(({ isMild }) => isMild !== true) ?? (asked.minions.length === 0 ? problems[0] : undefined);
  if (defect === undefined) return asked;
  // Nothing is sent; but whoever may not reach those whom its sound terms mean is told that.
  return { ...asked, minions: [], missing: [], problem: defect.reason };
}

function nobody(problem: string): RequestedTarget {
  return { minions: [], missing: [], problem, guessesPillar: false, covers: () => true };
}

function resolved(expr: TargetExpr, inventory: Inventory): RequestedTarget {
  const { minions, missing } = resolve(expr, inventory, 'greedy');
  const known = new Map<PermittedTarget, boolean>();
  const covers = (permitted: PermittedTarget): boolean => {
    let inside = known.get(permitted);
    if (inside === undefined) {
      const { expr: allowed } = permitted;
      inside =
        minions.length === 0 ||
        (allowed !== undefined && minions.every((id) => certainlyMatches(allowed, inventory, id)));
      known.set(permitted, inside);
    }
    return inside;
  };
  return { minions, missing, problem: undefined, guessesPillar: expr.guessesPillar, covers };
}
