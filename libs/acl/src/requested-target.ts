/**
 * A requested target, resolved: whom it means, and which permitted targets it lies in.
 *
 * A target that cannot be read means nobody; so does one that matches nobody. Such a request lies in every permitted target, also in
 * one that is wrong itself: there is nobody that it could reach. One with a pattern that cannot be used means nobody either, but is
 * permitted only where its other terms are.
 *
 * Spec: spec/acl.md#targets.
 */
import {
  certainlyMatches,
  type Inventory,
  parseTarget,
  resolve,
  type Resolved,
  type TargetExpr,
} from '@natrium/matchers';
import type { Target } from '@natrium/model';
import type { PermittedTarget, Policy } from './policy.js';

export interface RequestedTarget {
  readonly minions: readonly string[];
  readonly missing: readonly string[];
  /** Why nobody is meant, for the caller; undefined when the target is sound. */
  readonly problem: string | undefined;
  /** Whether its caller wrote a pattern on pillar. The definition of a node group that is named is the master's. */
  readonly guessesPillar: boolean;
  /** Tells whether every minion of it is certainly inside; remembered for each permitted target. */
  readonly covers: (permitted: PermittedTarget) => boolean;
  /** What that took so far, at most, in tests of a plain name on a minion. Whom it means is found out when that is asked, and once. */
  readonly tests: number;
  /** Whom it means, and its patterns, in ids of about eight bytes: what is held as long as it is remembered. */
  readonly held: number;
}

/** Tests of a plain name in a microsecond. */
const TESTS_OF_MAKING = 20;
const TESTS_OF_A_MS = 1000 * TESTS_OF_MAKING;
const GAVE_UP = 'finding out whom it means takes too long; its patterns repeat too much that can stand in many places';

export function requestTarget(policy: Policy, target: Target, inventory: Inventory): RequestedTarget {
  const parsed = parseTarget(target, { nodegroups: policy.nodegroups });
  if (!parsed.ok) return nobody(parsed.error.reason);
  return new Readable(parsed.value, inventory, target.tgtType !== 'nodegroup' && parsed.value.guessesPillar);
}

function nobody(problem: string): RequestedTarget {
  return { minions: [], missing: [], problem, guessesPillar: false, covers: () => true, tests: 0, held: 0 };
}

class Readable implements RequestedTarget {
  tests = 0;
  readonly #known = new Map<PermittedTarget, boolean>();
  #asked: Resolved | undefined;

  constructor(
    private readonly expr: TargetExpr,
    private readonly inventory: Inventory,
    readonly guessesPillar: boolean,
  ) {}

  /** Nothing is sent; but whoever may not reach those whom its sound terms mean is told that. */
  get problem(): string | undefined {
    const { problems } = this.expr;
    const defect = problems.find(({ isMild }) => isMild !== true);
    if (defect !== undefined) return defect.reason;
    const { minions, gaveUp } = this.#resolved;
    if (gaveUp === true) return GAVE_UP;
    return minions.length === 0 ? problems[0]?.reason : undefined;
  }

  get minions(): readonly string[] {
    return this.problem === undefined ? this.#resolved.minions : [];
  }

  get missing(): readonly string[] {
    return this.problem === undefined ? this.#resolved.missing : [];
  }

  /** What was given up is tried anew: another time the host may have more time for it. */
  get held(): number {
    return this.#resolved.gaveUp === true ? Infinity : this.minions.length + this.expr.size;
  }

  readonly covers = (permitted: PermittedTarget): boolean => {
    let inside = this.#known.get(permitted);
    if (inside === undefined) this.#known.set(permitted, (inside = this.#isWithin(permitted)));
    return inside;
  };

  #isWithin({ expr: allowed }: PermittedTarget): boolean {
    const { minions } = this.#resolved;
    if (minions.length === 0 || allowed === undefined) return minions.length === 0;
    return this.#counted(allowed, minions.length * allowed.work, () =>
      minions.every((id) => certainlyMatches(allowed, this.inventory, id)),
    );
  }

  get #resolved(): Resolved {
    if (this.#asked === undefined) {
      const { work, size } = this.expr;
      const estimate = work * this.inventory.accepted.size + TESTS_OF_MAKING * size;
      this.#asked = this.#counted(this.expr, estimate, () => resolve(this.expr, this.inventory, 'greedy'));
    }
    return this.#asked;
  }

  /** Where it takes longer than can be told beforehand, that counts. */
  #counted<T>({ isCostly }: TargetExpr, estimate: number, find: () => T): T {
    const now = (isCostly ? this.inventory.now : undefined) ?? (() => 0);
    const begun = now();
    const found = find();
    this.tests += Math.max(estimate, Math.floor(now() - begun) * TESTS_OF_A_MS);
    return found;
  }
}
