/**
 * A second evaluator of access lists: slow, obvious, and written from the description of the original and the list of our differences
 * alone. It shares no line with `libs/acl` or `libs/matchers`.
 *
 * Each rule below can be changed, to prove that the scenarios would notice.
 */
import type { Value, ValueMap } from '@natrium/model';
import type { Scenario } from './scenario.js';
import { matchTarget, type Reading } from './second-target.js';
import { plainText, startsWithPattern, wholeMatches } from './second-text.js';

export const RULES = [
  'every function must be permitted',
  'no function of a peer may begin with publish',
  'one entry must cover all minions',
  'unknown data is not inside a permitted target',
  'the negation of unknown data is not inside either',
  'unknown data is inside a requested target',
  'function patterns are open at the end',
  'caller patterns begin at the first letter',
  'named conditions must hold',
  'positional conditions must hold',
  'peers match pillar exactly',
  'the blacklist comes first',
  'alternatives in user keys are grouped',
  'the star key is only a fallback',
  'asking for the state of a job is open to users',
] as const;
export type Rule = (typeof RULES)[number];

export interface Verdict {
  readonly allow: boolean;
  readonly minions: readonly string[];
}

const REFUSED: Verdict = { allow: false, minions: [] };

/** @param changed The one rule that is read wrongly on purpose. */
export function secondVerdict(scenario: Scenario, changed?: Rule): Verdict {
  const { caller, what, funs } = scenario;
  const isPeer = caller.kind === 'minion';
  if (isPeer && what === 'job') {
    const looked = changed === 'no function of a peer may begin with publish' ? funs.slice(0, 1) : funs;
    if (looked.some((fun) => fun.startsWith('publish'))) return REFUSED;
  }
  if (funs.includes('')) return REFUSED;
  if (changed !== 'the blacklist comes first' && isBlacklisted(scenario)) return REFUSED;
  const lists = listsFor(scenario, changed);
  if (lists.length === 0)
    return what === 'job' && caller.kind === 'external' ? onlyFindJob(scenario, changed) : REFUSED;
  return what === 'run' ? runVerdict(scenario, lists.flat(), changed) : jobVerdict(scenario, lists.flat(), changed);
}

function isBlacklisted({ caller, what, funs, config }: Scenario): boolean {
  if (caller.kind === 'minion' && what === 'run') return false;
  const { users = [], modules = [] } = config.publisher_acl_blacklist;
  const isDenied = (rules: readonly Value[], text: string): boolean =>
    rules.some((rule) => wholeMatches(plainText(rule), text, true));
  return (caller.kind !== 'minion' && isDenied(users, caller.name)) || funs.some((fun) => isDenied(modules, fun));
}

function listsFor({ caller, what, config }: Scenario, changed?: Rule): readonly (readonly Value[])[] {
  const grouped = changed !== 'alternatives in user keys are grouped';
  if (caller.kind === 'minion') {
    const anchored = changed !== 'caller patterns begin at the first letter';
    const section = Object.entries(what === 'job' ? config.peer : config.peer_run);
    return section.filter(([key]) => startsWithPattern(key, caller.name, anchored)).map(([, list]) => list);
  }
  if (caller.kind === 'account') {
    return Object.entries(config.publisher_acl)
      .filter(([key]) => wholeMatches(key, caller.name, grouped))
      .map(([, list]) => list);
  }
  const keys = Object.entries(config.external_auth['pam'] ?? {});
  const fallbackOnly = changed !== 'the star key is only a fallback';
  const users = keys.filter(
    ([key]) => !key.endsWith('%') && !(key === '*' && fallbackOnly) && wholeMatches(key, caller.name, grouped),
  );
  const groups = keys.filter(([key]) => key.endsWith('%') && caller.groups.includes(key.replace(/%+$/, '')));
  const star = fallbackOnly && users.length === 0 ? keys.filter(([key]) => key === '*') : [];
  return [...users, ...groups, ...star].map(([, list]) => list);
}

function jobVerdict(scenario: Scenario, list: readonly Value[], changed?: Rule): Verdict {
  const requested = requestedMinions(scenario, changed);
  if (requested === 'refused') return REFUSED;
  const permits = (fun: string, index: number): boolean =>
    isFindJob(scenario, fun, changed) ||
    list.some((entry) => entryPermits(entry, fun, index, { scenario, requested, changed }));
  const may =
    changed === 'every function must be permitted' ? scenario.funs.some(permits) : scenario.funs.every(permits);
  if (changed === 'one entry must cover all minions' && !may) return together(scenario, list, requested, changed);
  return may ? { allow: true, minions: requested } : REFUSED;
}

/** What would happen if several entries could cover a request between them. */
function together(scenario: Scenario, list: readonly Value[], requested: readonly string[], changed: Rule): Verdict {
  const may = scenario.funs.every((fun, index) =>
    requested.every((id) =>
      list.some((entry) => entryPermits(entry, fun, index, { scenario, requested: [id], changed })),
    ),
  );
  return may ? { allow: true, minions: requested } : REFUSED;
}

function isFindJob({ caller }: Scenario, fun: string, changed?: Rule): boolean {
  return (
    fun === 'saltutil.find_job' &&
    caller.kind !== 'minion' &&
    changed !== 'asking for the state of a job is open to users'
  );
}

function onlyFindJob(scenario: Scenario, changed?: Rule): Verdict {
  return jobVerdict(scenario, [], changed);
}

function requestedMinions(scenario: Scenario, changed?: Rule): readonly string[] | 'refused' {
  const { caller, tgt, tgtType, config } = scenario;
  if (caller.kind === 'minion') {
    if (tgtType === 'nodegroup' && !Object.hasOwn(config.nodegroups, tgt)) return 'refused';
    if (changed !== 'peers match pillar exactly' && guessesPillar(tgt, tgtType)) return 'refused';
  }
  const reading: Reading = changed === 'unknown data is inside a requested target' ? 'false' : 'true';
  return matchTarget(scenario, tgt, tgtType, reading).filter((id) => scenario.fleet.has(id));
}

/** Patterns on pillar in something that can be read at all. */
function guessesPillar(tgt: string, tgtType: string): boolean {
  if (tgtType === 'pillar_pcre') return true;
  if (tgtType === 'pillar') return /[*?[]/.test(tgt);
  const words = tgt.split(' ');
  const isWhole = !['web* and', '( web*', 'not not web*'].includes(tgt);
  return (
    tgtType === 'compound' &&
    isWhole &&
    words.some((word) => word.startsWith('J@') || (word.startsWith('I@') && /[*?[]/.test(word)))
  );
}

interface Asked {
  readonly scenario: Scenario;
  readonly requested: readonly string[];
  readonly changed: Rule | undefined;
}

function entryPermits(entry: Value, fun: string, index: number, asked: Asked): boolean {
  if (typeof entry === 'string') return functionMatches(entry, fun, asked.changed);
  const [target, functions] = onlyPair(entry);
  if (!isInside(target, asked)) return false;
  return asList(functions).some((one) => {
    if (typeof one === 'string') return functionMatches(one, fun, asked.changed);
    const [pattern, conditions] = onlyPair(one);
    const holds = asList(conditions).some((condition) =>
      conditionHolds(condition, asked.scenario.args[index] ?? [], asked.changed),
    );
    return functionMatches(pattern, fun, asked.changed) && holds;
  });
}

function isInside(target: string, { scenario, requested, changed }: Asked): boolean {
  if (requested.length === 0) return true;
  let reading: Reading = 'unknown';
  if (changed === 'unknown data is not inside a permitted target') reading = 'true';
  if (changed === 'the negation of unknown data is not inside either') reading = 'false';
  const inside = matchTarget(scenario, target, 'compound', reading);
  return requested.every((id) => inside.includes(id));
}

function functionMatches(pattern: string, fun: string, changed?: Rule): boolean {
  return changed === 'function patterns are open at the end'
    ? wholeMatches(`(${pattern})`, fun, true)
    : startsWithPattern(pattern, fun, true);
}

function conditionHolds(condition: Value, sent: readonly Value[], changed?: Rule): boolean {
  const { args = [], kwargs = {} } = asMap(condition);
  const last = sent.at(-1);
  const named = typeof last === 'string' || last === undefined ? undefined : asMap(last);
  const positional = named === undefined ? sent : sent.slice(0, -1);
  const isFine = (pattern: Value, value: Value | undefined): boolean =>
    value !== undefined && (pattern === null || startsWithPattern(plainText(pattern), plainText(value), true));
  const ignoresArgs = changed === 'positional conditions must hold';
  const ignoresKwargs = changed === 'named conditions must hold';
  return (
    (ignoresArgs || asList(args).every((pattern, index) => isFine(pattern, positional[index]))) &&
    (ignoresKwargs || Object.entries(asMap(kwargs)).every(([key, pattern]) => isFine(pattern, named?.[key])))
  );
}

function runVerdict(scenario: Scenario, list: readonly Value[], changed?: Rule): Verdict {
  const fun = scenario.funs[0] ?? '';
  const allowed: Verdict = { allow: true, minions: [] };
  if (scenario.caller.kind === 'minion')
    return list.some((entry) => functionMatches(plainText(entry), fun, changed)) ? allowed : REFUSED;
  const [module = '', name = '', more] = fun.split('.');
  if (more !== undefined) return REFUSED;
  const permits = list.some((entry) => {
    if (typeof entry === 'string') return ['@runner', '@runners', `@${module}`].includes(entry);
    const [word, functions] = onlyPair(entry);
    const called = word === '@runner' || word === '@runners' ? fun : word === `@${module}` ? name : undefined;
    if (called === undefined) return false;
    return asList(functions).some((one) => {
      if (typeof one === 'string') return functionMatches(one, called, changed);
      const [pattern, conditions] = onlyPair(one);
      const holds = asList(conditions).some((condition) => conditionHolds(condition, scenario.args[0] ?? [], changed));
      return functionMatches(pattern, called, changed) && holds;
    });
  });
  return permits ? allowed : REFUSED;
}

function onlyPair(value: Value): readonly [string, Value] {
  const [pair] = Object.entries(asMap(value));
  if (pair === undefined) throw new TypeError('a scenario has only mappings with one key here');
  return pair;
}

function asMap(value: Value): ValueMap {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new TypeError('no mapping');
  return Object.fromEntries(Object.entries(value));
}

function asList(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.map((item: Value) => item) : [value];
}
