/**
 * Permission for one function: the first entry that covers it, its arguments and every minion of the request.
 *
 * Any entry may allow and none may deny; two entries that cover a request only together do not add up. Whom the request means is
 * asked last, since finding that out is what costs.
 *
 * Spec: spec/acl.md#evaluation.
 */
import type { Value } from '@natrium/model';
import { conditionHolds } from './conditions.js';
import type { AccessList, FunctionRule, PermittedTarget, RuleRef } from './policy.js';

/** Tells whether every minion of the request is certainly inside of a permitted target. */
export type Covers = (target: PermittedTarget) => boolean;

export function permitsJob(
  lists: readonly AccessList[],
  fun: string,
  args: readonly Value[],
  covers: Covers,
): RuleRef | undefined {
  for (const { entries } of lists) {
    for (const { target, functions } of entries) {
      const rule = matchingFunction(functions, fun, args);
      if (rule !== undefined && (target === undefined || covers(target))) return rule;
    }
  }
  return undefined;
}

/** @param isMarkNamed Whether a condition may be about the mark of the named arguments itself. */
export function matchingFunction(
  rules: readonly FunctionRule[],
  fun: string,
  args: readonly Value[],
  isMarkNamed = true,
): FunctionRule | undefined {
  for (const rule of rules) {
    const { pattern, conditions } = rule;
    if (pattern?.test(fun) === true && (conditions === undefined || conditionHolds(conditions, args, isMarkNamed)))
      return rule;
  }
  return undefined;
}
