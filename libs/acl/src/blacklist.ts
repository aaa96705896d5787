/**
 * `publisher_acl_blacklist`: who may do nothing, and which functions nobody may run; before every permission.
 *
 * Diverges: also for runner and wheel, external users and tokens, and its modules for what peers publish
 * (compat/divergences.md, blacklist).
 *
 * Spec: spec/acl.md#blacklist.
 */
import type { DenyList, Policy, RuleRef } from './policy.js';

export function deniedUser({ deniedUsers }: Policy, name: string): RuleRef | undefined {
  return denies(deniedUsers, name, 'users');
}

export function deniedFunction({ deniedModules }: Policy, funs: readonly string[]): RuleRef | undefined {
  for (const fun of funs) {
    const rule = denies(deniedModules, fun, 'modules');
    if (rule !== undefined) return rule;
  }
  return undefined;
}

function denies({ everyone, rules }: DenyList, text: string, side: string): RuleRef | undefined {
  if (everyone) return { path: ['publisher_acl_blacklist', side] };
  for (const rule of rules) {
    if (rule.match.test(text)) return rule;
  }
  return undefined;
}
