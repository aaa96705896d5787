/**
 * A requested target, resolved: whom it means, and which permitted targets it lies in.
 *
 * A target that cannot be read, or that is defective, means nobody; so does one that matches nobody. Such a request lies in every
 * permitted target, also in one that is wrong itself: there is nobody that it could reach.
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
  if (!parsed.ok) return nobody(parsed.error.reason, false);
  const defect = parsed.value.problems[0];
  if (defect !== undefined) return nobody(defect.reason, parsed.value.guessesPillar);
  return sound(parsed.value, inventory);
}

function nobody(problem: string, guessesPillar: boolean): RequestedTarget {
  return { minions: [], missing: [], problem, guessesPillar, covers: () => true };
}

function sound(expr: TargetExpr, inventory: Inventory): RequestedTarget {
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
