/**
 * Rules that add nothing because another of the same list covers them. Any rule may allow and none denies, so the order does
 * not matter.
 *
 * Only what is certain is reported: the same pattern, one that begins with the other's text, or a rule for everything.
 */
import { isMap, writeJson } from '@natrium/model';
import { type PolicyView, type Rule, rulesOf, showPath, valueAt } from '../policy-view.js';
import { provenSamples } from '../samples.js';
import type { Finding } from './finding.js';

interface Unit {
  readonly rule: Rule;
  readonly source: string;
  readonly conditions: string | undefined;
  /** The word of an entry for runners and wheel, as `runner`: such entries never cover plain ones, nor the other way round. */
  readonly spec: string | undefined;
}

export function repeats(view: PolicyView): readonly Finding[] {
  const lists = new Map<unknown, Unit[]>();
  for (const rule of rulesOf(view)) {
    const { pattern } = rule.rule;
    if (pattern === undefined) continue;
    const own = lists.get(rule.keyed.list) ?? [];
    lists.set(rule.keyed.list, own);
    own.push({ rule, source: pattern.source, conditions: conditionsAt(view, rule), spec: rule.entry.spec?.word });
  }
  return [...lists.values()].flatMap((units) => units.flatMap((unit, at) => covered(unit, at, units)));
}

function conditionsAt({ config }: PolicyView, { rule }: Rule): string | undefined {
  if (rule.conditions === undefined) return undefined;
  const raw = valueAt(config, rule.path);
  return writeJson(isMap(raw) ? (Object.values(raw)[0] ?? null) : null);
}

function covered(unit: Unit, at: number, units: readonly Unit[]): readonly Finding[] {
  const same = units.find((other, index) => index < at && isSame(other, unit));
  const { path } = unit.rule.rule;
  if (same !== undefined) {
    const message = `'${unit.source}' says again what ${showPath(same.rule.rule.path)} says`;
    return [{ code: 'duplicate', severity: 'warning', path, message }];
  }
  // Of two that cover each other the first is kept.
  const wider = units.find(
    (other, index) =>
      other !== unit && !isSame(other, unit) && covers(other, unit) && (index < at || !covers(unit, other)),
  );
  if (wider === undefined) return [];
  const message = `'${unit.source}' adds nothing: ${showPath(wider.rule.rule.path)} ('${wider.source}') permits it already`;
  return [{ code: 'unreachable', severity: 'warning', path, message }];
}

function isSame(left: Unit, right: Unit): boolean {
  return (
    left.source === right.source &&
    left.conditions === right.conditions &&
    left.spec === right.spec &&
    targetOf(left) === targetOf(right)
  );
}

function targetOf({ rule }: Unit): string | undefined {
  return rule.entry.spec === undefined ? rule.entry.target?.text : undefined;
}

function covers(wide: Unit, narrow: Unit): boolean {
  if (wide.spec !== narrow.spec || (wide.conditions !== undefined && wide.conditions !== narrow.conditions))
    return false;
  const target = targetOf(wide);
  if (target !== undefined && target !== targetOf(narrow)) return false;
  return wide.source === narrow.source || coversText(wide, narrow);
}

function coversText(wide: Unit, narrow: Unit): boolean {
  const test = wide.rule.rule.pattern?.test ?? (() => false);
  const isProved = provenSamples(narrow.source, narrow.rule.rule.pattern?.test ?? (() => false)).every(test);
  if (['', '.*', '.', '.+'].includes(wide.source)) return isProved;
  // What follows must not change the last character of what went before, nor open another branch.
  const rest = narrow.source.startsWith(wide.source) ? narrow.source.slice(wide.source.length) : undefined;
  return (
    isProved && rest !== undefined && !narrow.source.includes('|') && !/^[*?{]/.test(rest) && !/\\$/.test(wide.source)
  );
}
