/** Arguments made to satisfy a condition. They prove nothing: whoever makes some asks the gate with them. */
import type { FunctionRule, ValueRule } from '@natrium/acl';
import { joinArguments, type Value } from '@natrium/model';
import { provenSamples } from './samples.js';

type Sampler = (rule: ValueRule) => readonly string[];

/** @returns One list for each condition that arguments could be made for. */
export function sampleArguments(rule: FunctionRule): readonly (readonly Value[])[] {
  return argumentsBy(rule, sampleValue);
}

/** The same, and beside each such values as an open end lets through. */
export function argumentsNear(rule: FunctionRule): readonly (readonly Value[])[] {
  const open: Sampler = (value) =>
    sampleValue(value).map((text) => (value?.test(`${text}-more`) === true ? `${text}-more` : text));
  return [...argumentsBy(rule, sampleValue), ...argumentsBy(rule, open)];
}

function argumentsBy({ conditions = [] }: FunctionRule, sampleOf: Sampler): readonly (readonly Value[])[] {
  return conditions.flatMap(({ args, kwargs }) => {
    const positional = args.flatMap(sampleOf);
    const named = kwargs.flatMap(([name, rule]) => sampleOf(rule).map((value) => [name, value] as const));
    if (positional.length < args.length || named.length < kwargs.length) return [];
    return [joinArguments({ positional, named: Object.fromEntries(named) })];
  });
}

function sampleValue(rule: ValueRule): readonly string[] {
  if (rule === null) return ['x'];
  return rule === undefined ? [] : provenSamples(rule.source, rule.test).slice(0, 1);
}
