/**
 * Tells whether arguments satisfy a condition, by Python's text of each value.
 *
 * Diverges: the arguments are the parsed ones, exactly those that are sent (compat/divergences.md, conditions-see-raw-arguments).
 */
import { isMap, KWARG_MARK, pyStr, type Value, type ValueMap } from '@natrium/model';
import type { Condition, ValueRule } from './policy.js';

/** @param sent As they travel: a last mapping with the mark holds the named ones, and the mark as one of them where `isMarkNamed`. */
export function conditionHolds(
  conditions: readonly Condition[],
  sent: readonly Value[],
  isMarkNamed: boolean,
): boolean {
  const last = sent.at(-1);
  const named = isMap(last) && Object.hasOwn(last, KWARG_MARK) ? last : undefined;
  const positional = named === undefined ? sent.length : sent.length - 1;
  return conditions.some(({ args, kwargs }) => {
    if (args.length > positional) return false;
    return (
      args.every((rule, index) => valueMatches(rule, sent[index])) &&
      kwargs.every(([key, rule]) => (isMarkNamed || key !== KWARG_MARK) && namedMatches(rule, named, key))
    );
  });
}

function namedMatches(rule: ValueRule, named: ValueMap | undefined, key: string): boolean {
  return named !== undefined && Object.hasOwn(named, key) && valueMatches(rule, named[key]);
}

function valueMatches(rule: ValueRule, value: Value | undefined): boolean {
  if (rule === null) return true;
  return rule !== undefined && value !== undefined && rule.test(textOf(value));
}

/** Of lists and maps: an argument may be megabytes, and a caller may have hundreds of conditions. */
const texts = new WeakMap<object, string>();

function textOf(value: Value): string {
  if (typeof value !== 'object' || value === null) return pyStr(value);
  const text = texts.get(value) ?? pyStr(value);
  texts.set(value, text);
  return text;
}
