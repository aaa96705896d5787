/**
 * Why a job was refused: the entries that came nearest, for operators and policy tests. Never for the caller, since it shows rules.
 *
 * It asks the very pieces that `decide` asks; it decides nothing itself.
 *
 * Spec: spec/acl.md#explaining.
 */
import { certainlyMatches, type Inventory } from '@natrium/matchers';
import type { Value } from '@natrium/model';
import type { Ask } from './ask.js';
import { accessOf } from './caller-lists.js';
import { conditionHolds } from './conditions.js';
import { isAlwaysAllowed } from './decide.js';
import type { Entry, FunctionRule, PermittedTarget, Policy, RuleRef } from './policy.js';
import { type RequestedTarget, requestTarget } from './requested-target.js';

export interface NearMiss extends RuleRef {
  readonly fun: string;
  /** What did not fit; the nearest come first: only the target, only the arguments, both, only the function. */
  readonly why: 'target' | 'arguments' | 'arguments and target' | 'function';
  /** For a target: its text, and the first minions of the request that are not certainly inside. */
  readonly target?: string;
  readonly outside?: readonly string[];
}

const MAX_SHOWN = 10;
const ORDER: readonly NearMiss['why'][] = ['target', 'arguments', 'arguments and target', 'function'];

/** The nearest misses of every function of a job that its caller's lists do not permit. */
export function explainRefusal(policy: Policy, ask: Ask, inventory: Inventory): readonly NearMiss[] {
  const access = accessOf(policy, ask, undefined);
  if (!access.ok || 'full' in access.value || ask.target === undefined) return [];
  const requested = requestTarget(policy, ask.target, inventory);
  const entries = access.value.lists.flatMap((list) => list.entries);
  const misses = ask.funs.flatMap((fun, index) => {
    if (isAlwaysAllowed(ask, fun)) return [];
    const own = entries.flatMap((entry) => missesOf(entry, fun, ask.args[index] ?? [], { requested, inventory }));
    return own.includes('permits') ? [] : own.filter((miss) => miss !== 'permits');
  });
  return misses.sort((left, right) => ORDER.indexOf(left.why) - ORDER.indexOf(right.why));
}

interface Where {
  readonly requested: RequestedTarget;
  readonly inventory: Inventory;
}

function missesOf(entry: Entry, fun: string, args: readonly Value[], where: Where): readonly (NearMiss | 'permits')[] {
  const { target, functions, spec } = entry;
  const isInside = target === undefined || where.requested.covers(target);
  const named = functions.filter(({ pattern }) => pattern?.test(fun) === true);
  if (named.length === 0) return isInside && spec === undefined ? [{ path: entry.path, fun, why: 'function' }] : [];
  return named.flatMap((rule): readonly (NearMiss | 'permits')[] => {
    const holds = argumentsHold(rule, args);
    if (holds && isInside) return ['permits'];
    // An entry for runners and wheel is never what a job lacks.
    if (spec !== undefined) return [];
    const { path } = rule;
    if (target === undefined || isInside) return [{ path, fun, why: 'arguments' }];
    const outside = outsideOf(target, where);
    return [{ path, fun, why: holds ? 'target' : 'arguments and target', target: target.text, outside }];
  });
}

function argumentsHold({ conditions }: FunctionRule, args: readonly Value[]): boolean {
  return conditions === undefined || conditionHolds(conditions, args, true);
}

function outsideOf({ expr }: PermittedTarget, { requested, inventory }: Where): readonly string[] {
  const outside = requested.minions.filter((id) => expr === undefined || !certainlyMatches(expr, inventory, id));
  return outside.slice(0, MAX_SHOWN);
}
