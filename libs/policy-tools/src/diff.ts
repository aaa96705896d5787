/**
 * What changes between two policies: caller by function by minion, both asked of the gate.
 *
 * Callers, functions and arguments are those that the rules of either policy name (patterns by proved samples); minions are those
 * of the inventory. Minions that no permitted target of either policy tells apart share a class, and one of each class is asked
 * about: what `decide` says of one holds for all. Requests for several minions at once are asked about by the permitted targets.
 */
import { type RulePath, TargetMemo } from '@natrium/acl';
import { certainlyMatches, type Inventory, type TargetExpr } from '@natrium/matchers';
import type { Target } from '@natrium/model';
import { type Asked, type Caller, judge, type Scene, showCaller } from './caller.js';
import { holdersOf } from './holders.js';
import { functionsNear } from './lint/breadth.js';
import { keyedLists, type PolicyView, rulesOf } from './policy-view.js';
import { argumentsNear } from './sample-arguments.js';
import { provenSamples } from './samples.js';

export interface Change {
  readonly caller: Caller;
  /** Minions of the inventory that nothing tells apart as callers; the caller is the first of them. */
  readonly alike: readonly string[];
  readonly asked: Asked;
  readonly becomes: 'allowed' | 'refused';
  /** Ids, or a target that means several at once. */
  readonly on: readonly string[];
  readonly isTarget: boolean;
  /** The rule that allows it, in the policy that does. */
  readonly rule: RulePath | undefined;
}

export interface Policies {
  readonly old: PolicyView;
  readonly next: PolicyView;
  readonly fleet: Inventory;
}

const TYPICAL_RUNS = ['manage.up', 'jobs.list_jobs'];
const TYPICAL_WHEEL = ['key.list_all', 'config.values'];

export function diffPolicies(policies: Policies): readonly Change[] {
  const scenes = scenesOf(policies);
  const classes = minionClasses(policies);
  const wholes = wholeTargets(policies);
  return callersOf(policies).flatMap(({ caller, alike }) => [
    ...jobsOf(policies).flatMap((job) => {
      const single = classes.flatMap((ids) =>
        changeOf(scenes, { caller, alike }, { ...job, target: listOf(ids) }, ids),
      );
      const both =
        single.length === 0
          ? wholes.flatMap((target) => changeOf(scenes, { caller, alike }, { ...job, target }, undefined))
          : [];
      return [...grouped(single), ...both.slice(0, 1)];
    }),
    ...runsOf(policies, caller).flatMap((run) => changeOf(scenes, { caller, alike }, run, [])),
  ]);
}

interface Scenes {
  readonly old: Scene;
  readonly next: Scene;
}

interface Callers {
  readonly caller: Caller;
  readonly alike: readonly string[];
}

export function scenesOf({ old, next, fleet }: Policies): Scenes {
  return {
    old: { view: old, fleet, memo: new TargetMemo(4096) },
    next: { view: next, fleet, memo: new TargetMemo(4096) },
  };
}

function changeOf(
  scenes: Scenes,
  { caller, alike }: Callers,
  asked: Asked,
  ids: readonly string[] | undefined,
): readonly Change[] {
  const [before, after] = [judge(scenes.old, caller, asked), judge(scenes.next, caller, asked)];
  if (before.allow === after.allow) return [];
  const granted = after.allow ? after : before;
  const rule = granted.allow ? granted.rules[0]?.path : undefined;
  const tgt = asked.target?.tgt ?? '';
  const on = ids ?? [typeof tgt === 'string' ? tgt : tgt.join(',')];
  return [
    { caller, alike, asked, becomes: after.allow ? 'allowed' : 'refused', on, isTarget: ids === undefined, rule },
  ];
}

/** Classes with the same change, and the same rule, become one line. */
function grouped(changes: readonly Change[]): readonly Change[] {
  const found = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.becomes, change.rule]);
    const known = found.get(key);
    found.set(key, known === undefined ? change : { ...known, on: [...known.on, ...change.on] });
  }
  return [...found.values()];
}

/** One id stands for its class. */
function listOf(ids: readonly string[]): Target {
  return { tgt: ids.slice(0, 1), tgtType: 'list' };
}

function permittedTargets({ old, next }: Policies): readonly { readonly text: string; readonly expr: TargetExpr }[] {
  return [old, next].flatMap((view) =>
    keyedLists(view).flatMap(({ list }) =>
      list.entries.flatMap(({ target, spec }) =>
        target?.expr === undefined || spec !== undefined ? [] : [{ text: target.text, expr: target.expr }],
      ),
    ),
  );
}

function minionClasses(policies: Policies): readonly (readonly string[])[] {
  const { fleet } = policies;
  const exprs = permittedTargets(policies).map(({ expr }) => expr);
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

/** Everybody, and what the rules themselves call a target. */
function wholeTargets(policies: Policies): readonly Target[] {
  if (policies.fleet.accepted.size === 0) return [];
  const texts = new Set(permittedTargets(policies).map(({ text }) => text));
  return [{ tgt: '*', tgtType: 'glob' }, ...[...texts].map((tgt) => ({ tgt, tgtType: 'compound' }))];
}

/** Everybody whom a key of either policy names, and each class of minions that the keys of `peer` do not tell apart. */
function callersOf({ old, next, fleet }: Policies): readonly Callers[] {
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
function jobsOf({ old, next }: Policies): readonly Asked[] {
  const jobs = new Map<string, Asked>();
  for (const { rule, entry } of [...rulesOf(old), ...rulesOf(next)]) {
    const { pattern } = rule;
    if (pattern === undefined || entry.spec !== undefined) continue;
    const funs = functionsNear({ path: rule.path, source: pattern.source, test: pattern.test });
    for (const fun of funs)
      for (const args of [[], ...argumentsNear(rule)]) add(jobs, { what: 'job', funs: [fun], args: [args] });
  }
  return [...jobs.values()];
}

function isName(fun: string): boolean {
  return /^\w+\.\w+$/.test(fun);
}

function runsOf({ old, next }: Policies, { principal }: Caller): readonly Asked[] {
  const runs = new Map<string, Asked>();
  const isMinion = principal.kind === 'minion';
  for (const { rule, entry, keyed } of [...rulesOf(old), ...rulesOf(next)]) {
    const { pattern } = rule;
    const [sample] =
      pattern === undefined
        ? []
        : provenSamples(pattern.source, pattern.test).filter((fun) => isName(fun) || entry.spec !== undefined);
    if (isMinion && keyed.section === 'peer_run') add(runs, { what: 'run', funs: [sample ?? 'manage.up'], args: [[]] });
    if (isMinion || entry.spec === undefined) continue;
    for (const [what, fun] of specRuns(entry.spec.word, sample)) add(runs, { what, funs: [fun], args: [[]] });
  }
  return [...runs.values()];
}

function specRuns(word: string, sample: string | undefined): readonly (readonly ['run' | 'wheel', string])[] {
  const own = sample !== undefined && isName(sample) ? [sample] : [];
  if (word === 'runner' || word === 'runners') return [...own, ...TYPICAL_RUNS].map((fun) => ['run', fun]);
  if (word === 'wheel' || word === 'wheels') return [...own, ...TYPICAL_WHEEL].map((fun) => ['wheel', fun]);
  const fun = `${word}.${sample !== undefined && /^\w+$/.test(sample) ? sample : 'x'}`;
  return [['run', fun], ['wheel', fun]]; // prettier-ignore
}

function add(found: Map<string, Asked>, asked: Asked): void {
  found.set(keyOf(asked), asked);
}

/** A text that is equal for equal requests. */
export function keyOf(asked: Asked): string {
  return JSON.stringify(asked, (_key, item: unknown): unknown => (typeof item === 'bigint' ? String(item) : item));
}
