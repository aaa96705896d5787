/**
 * What a comparison of two policies asks about: callers, functions with arguments, runs and targets that the rules of either name;
 * patterns by proved samples. Minions that nothing tells apart share a class.
 */
import { type AccessList, type FunctionRule, requestTarget } from '@natrium/acl';
import { certainlyMatches, type Inventory, type TargetExpr } from '@natrium/matchers';
import type { Target } from '@natrium/model';
import { type Asked, type Caller, showCaller } from './caller.js';
import { holdersOf } from './holders.js';
import { bareFunctionsNear, functionsNear, UNNAMED } from './lint/breadth.js';
import type { Subject } from './lint/subject.js';
import { keyedLists, type PolicyView, type Rule, rulesOf } from './policy-view.js';
import { argumentsNear } from './sample-arguments.js';

export interface Policies {
  readonly old: PolicyView;
  readonly next: PolicyView;
  readonly fleet: Inventory;
}

const TYPICAL_RUNS = ['manage.up', 'jobs.list_jobs'];
const TYPICAL_WHEEL = ['key.list_all', 'config.values'];

export interface Callers {
  readonly caller: Caller;
  readonly alike: readonly string[];
}

interface Permitted {
  readonly text: string;
  readonly expr: TargetExpr;
}

function permittedTargets({ old, next }: Policies): readonly Permitted[] {
  return [old, next].flatMap((view) => keyedLists(view).flatMap(({ list }) => permittedIn(list)));
}

function permittedIn({ entries }: AccessList): readonly Permitted[] {
  return entries.flatMap(({ target, spec }) =>
    target?.expr === undefined || spec !== undefined ? [] : [{ text: target.text, expr: target.expr }],
  );
}

export function minionClasses(fleet: Inventory, lists: readonly AccessList[]): readonly (readonly string[])[] {
  const exprs = lists.flatMap(permittedIn).map(({ expr }) => expr);
  return classesOf(fleet.accepted, (id) =>
    exprs.map((expr) => (certainlyMatches(expr, fleet, id) ? '1' : '0')).join(''),
  );
}

function classesOf(ids: Iterable<string>, signature: (id: string) => string): readonly (readonly string[])[] {
  const classes = new Map<string, string[]>();
  for (const id of ids) {
    const key = signature(id);
    const known = classes.get(key);
    if (known === undefined) classes.set(key, [id]);
    else known.push(id);
  }
  return [...classes.values()];
}

/** A target that may mean several at once. */
export interface Whole {
  readonly target: Target;
  /** The first whom it means, in each policy that it means somebody in. */
  readonly firsts: readonly string[];
  /** Whether it means nobody in one of them. */
  readonly isEmpty: boolean;
}

/** Everybody, and what the rules themselves call a target. */
export function wholeTargets(policies: Policies): readonly Whole[] {
  const { old, next, fleet } = policies;
  if (fleet.accepted.size === 0) return [];
  const texts = new Set(permittedTargets(policies).map(({ text }) => text));
  const targets: readonly Target[] = [
    { tgt: '*', tgtType: 'glob' },
    ...[...texts].map((tgt) => ({ tgt, tgtType: 'compound' })),
  ];
  return targets.map((target) => {
    const meant = [old, next].map(({ policy }) => requestTarget(policy, target, fleet).minions);
    return { target, firsts: meant.flatMap((ids) => ids.slice(0, 1)), isEmpty: meant.some((ids) => ids.length === 0) };
  });
}

/** Everybody whom a key of either policy names, and each class of minions that the keys of `peer` do not tell apart. */
export function callersOf({ old, next, fleet }: Policies): readonly Callers[] {
  const holders = [old, next].flatMap((view) =>
    holdersOf(view, fleet).flatMap(({ caller }) => (caller === undefined ? [] : [caller])),
  );
  const sudo = [old, next].flatMap(({ policy }) =>
    policy.settings.sudoAcl ? policy.publisher.map(({ key }) => key).filter((key) => /^[\w-]+$/.test(key)) : [],
  );
  const callers = [
    ...holders.filter(({ principal }) => principal.kind !== 'minion' || !fleet.accepted.has(principal.name)),
    ...sudo.map((name): Caller => ({ principal: { kind: 'account', name: `sudo_${name}` } })),
  ];
  const unique = new Map(callers.map((caller) => [showCaller(caller), caller]));
  const tests = [old, next].flatMap((view) =>
    keyedLists(view)
      .filter(({ section }) => section === 'peer' || section === 'peer_run')
      .map(({ names }) => names),
  );
  const classes = classesOf(fleet.accepted, (id) => tests.map((test) => (test?.(id) === true ? '1' : '0')).join(''));
  return [
    ...[...unique.values()].map((caller) => ({ caller, alike: [] })),
    ...classes.map((ids) => ({ caller: { principal: { kind: 'minion', name: ids[0] ?? '' } } as const, alike: ids })),
  ];
}

/** Functions that the rules name, each without arguments and with such as their conditions want. */
export function jobsOf({ old, next }: Policies): readonly Asked[] {
  const jobs = new Map<string, Asked>();
  for (const { rule, entry } of [...rulesOf(old), ...rulesOf(next)]) {
    const subject = entry.spec === undefined ? subjectOf(rule) : undefined;
    if (subject === undefined) continue;
    for (const fun of functionsNear(subject))
      for (const args of [[], ...argumentsNear(rule)]) add(jobs, { what: 'job', funs: [fun], args: [args] });
  }
  return [...jobs.values()];
}

/** Runs that the rules name, of minions or of everybody else. */
export function runsOf({ old, next }: Policies, isMinion: boolean): readonly Asked[] {
  const runs = new Map<string, Asked>();
  for (const rule of [...rulesOf(old), ...rulesOf(next)])
    for (const [what, fun] of isMinion ? peerRuns(rule) : specRuns(rule))
      for (const args of [[], ...argumentsNear(rule.rule)]) add(runs, { what, funs: [fun], args: [args] });
  return [...runs.values()];
}

type Run = readonly [what: 'run' | 'wheel', fun: string];

function peerRuns({ keyed, rule }: Rule): readonly Run[] {
  const subject = keyed.section === 'peer_run' ? subjectOf(rule) : undefined;
  if (subject === undefined) return [];
  return [...functionsNear(subject), ...TYPICAL_RUNS.filter(subject.test)].map((fun) => ['run', fun]);
}

function specRuns({ entry: { spec }, rule }: Rule): readonly Run[] {
  if (spec === undefined) return [];
  const { word, functions } = spec;
  // By itself the word opens all that it names.
  const subject = functions === undefined ? undefined : subjectOf(rule);
  const all = subject === undefined ? [] : functionsNear(subject);
  if (word === 'runner' || word === 'runners') return [...all, ...TYPICAL_RUNS, UNNAMED].map((fun) => ['run', fun]);
  if (word === 'wheel' || word === 'wheels') return [...all, ...TYPICAL_WHEEL, UNNAMED].map((fun) => ['wheel', fun]);
  const names = [...(subject === undefined ? [] : bareFunctionsNear(subject)), 'x'];
  return names.flatMap((name) => (['run', 'wheel'] as const).map((what) => [what, `${word}.${name}`] as const));
}

function subjectOf({ path, pattern }: FunctionRule): Subject | undefined {
  return pattern === undefined ? undefined : { path, source: pattern.source, test: pattern.test };
}

function add(found: Map<string, Asked>, asked: Asked): void {
  found.set(keyOf(asked), asked);
}

/** A text that is equal for equal requests. */
export function keyOf(asked: Asked): string {
  return JSON.stringify(asked, (_key, item: unknown): unknown => (typeof item === 'bigint' ? String(item) : item));
}
