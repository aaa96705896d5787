/**
 * Permission for runner and wheel functions: `@runner`, `@wheel`, `@module` entries; plain patterns never open them.
 *
 * Spec: spec/acl.md#runners-and-wheel. The original's behaviour: compat/cases/spec_check.jsonl.
 */
import type { Value } from '@natrium/model';
import { matchingFunction } from './evaluate-entry.js';
import type { AccessList, RuleRef, SpecRule } from './policy.js';

export type Form = 'runner' | 'wheel' | 'cloud';

export interface SpecAsk {
  readonly form: Form;
  readonly fun: string;
  readonly args: readonly Value[];
}

/** A runner or wheel function is `module.function`, with exactly one dot. */
export function isModuleFunction(fun: string): boolean {
  return fun.split('.').length === 2;
}

export function permitsSpec(lists: readonly AccessList[], ask: SpecAsk): RuleRef | undefined {
  const [module = '', name = ''] = ask.form === 'cloud' ? [ask.fun, ask.fun] : ask.fun.split('.');
  for (const { entries } of lists) {
    for (const { spec, path } of entries) {
      if (spec !== undefined && specMatches(spec, module, name, ask)) return { path };
    }
  }
  return undefined;
}

function specMatches(
  { word, functions }: SpecRule,
  module: string,
  name: string,
  { form, fun, args }: SpecAsk,
): boolean {
  const isSide = word === form || word === `${form}s`;
  if (functions === undefined) return isSide || word === module;
  // As the original: the named arguments of a runner come without the mark.
  const allows = (called: string) => matchingFunction(functions, called, args, false) !== undefined;
  return (word === module && allows(name)) || (isSide && allows(fun));
}
