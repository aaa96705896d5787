/**
 * Argument conditions: `{args: [...], kwargs: {...}}` or a list of such, of which one must hold.
 *
 * A malformed condition never holds; the original's reading of `args` as text (letter by letter) or as a mapping (key by key) is
 * kept, and reported.
 *
 * Spec: spec/acl.md#conditions.
 */
import { isList, isMap, type Value } from '@natrium/model';
import { prefixPattern } from './compile-pattern.js';
import type { Condition, RulePath, ValueRule } from './policy.js';
import type { ProblemList } from './problem-list.js';

const SHAPE = 'write {args: [patterns], kwargs: {name: pattern}}, or a list of such';

export function compileConditions(raw: Value, path: RulePath, problems: ProblemList): readonly Condition[] {
  const alternatives = isList(raw) ? raw : [raw];
  if (alternatives.length === 0) problems.add(path, 'an empty list of conditions never holds', SHAPE);
  return alternatives.flatMap((one, index) => compileOne(one, isList(raw) ? [...path, index] : path, problems));
}

function compileOne(raw: Value, path: RulePath, problems: ProblemList): readonly Condition[] {
  if (!isMap(raw)) {
    problems.add(path, 'a condition is a mapping', SHAPE);
    return [];
  }
  for (const key of Object.keys(raw)) {
    if (key !== 'args' && key !== 'kwargs')
      problems.add([...path, key], `'${key}' means nothing in a condition`, SHAPE);
  }
  const args = Object.hasOwn(raw, 'args') ? compileArgs(raw['args'], [...path, 'args'], problems) : [];
  const kwargs = Object.hasOwn(raw, 'kwargs') ? compileKwargs(raw['kwargs'], [...path, 'kwargs'], problems) : [];
  return args === undefined || kwargs === undefined ? [] : [{ args, kwargs }];
}

function compileArgs(raw: Value | undefined, path: RulePath, problems: ProblemList): readonly ValueRule[] | undefined {
  if (isList(raw)) return raw.map((one, index) => valueRule(one, [...path, index], problems));
  problems.add(path, 'args is a list', SHAPE);
  const parts = typeof raw === 'string' ? Array.from(raw) : isMap(raw) ? Object.keys(raw) : undefined;
  return parts?.map((one) => valueRule(one, path, problems));
}

type KwargRules = readonly (readonly [string, ValueRule])[];

function compileKwargs(raw: Value | undefined, path: RulePath, problems: ProblemList): KwargRules | undefined {
  if (isMap(raw)) return Object.entries(raw).map(([key, one]) => [key, valueRule(one, [...path, key], problems)]);
  problems.add(path, 'kwargs is a mapping', SHAPE);
  return undefined;
}

function valueRule(raw: Value, path: RulePath, problems: ProblemList): ValueRule {
  if (raw === null) return null;
  if (typeof raw === 'string') return prefixPattern(raw, path, problems);
  problems.add(path, 'a pattern is text, and this never matches', 'put it in quotes');
  return undefined;
}
