/**
 * What changes between two policies: caller by function by minion, both asked of the gate.
 *
 * Callers, functions and arguments are those that the rules of either policy name (patterns by proved samples); minions are those
 * of the inventory. Minions that no permitted target of the caller's lists tells apart share a class, and one of each class is
 * asked about: what `decide` says of one holds for all. Requests for several minions at once are asked about by all permitted
 * targets. What cannot change is not asked: of a caller whose lists stay as they are, and of a job that no rule permits.
 */
import { type AccessList, accessOf, type Decision, type RulePath, TargetMemo } from '@natrium/acl';
import type { Inventory } from '@natrium/matchers';
import { type Target, type Value, writeJson } from '@natrium/model';
import { type Asked, askOf, type Caller, judge, type Scene } from './caller.js';
import {
  type Callers,
  callersOf,
  jobsOf,
  minionClasses,
  type Policies,
  runsOf,
  type Whole,
  wholeTargets,
} from './diff-questions.js';
import type { PolicyView } from './policy-view.js';

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

/** No minion's: an id has no slash. */
const NO_ID = '/';

export function diffPolicies(policies: Policies): readonly Change[] {
  const scenes = scenesOf(policies);
  const jobs = jobsOf(policies);
  const wholes = wholeTargets(policies);
  const runs = { minion: runsOf(policies, true), others: runsOf(policies, false) };
  const same = isSameGround(policies);
  return callersOf(policies).flatMap((callers) => {
    const { caller } = callers;
    const own = { old: accessIn(policies.old, caller), next: accessIn(policies.next, caller) };
    if (same && writeJson(own.old.shown) === writeJson(own.next.shown)) return [];
    const permitted = jobs.filter((job) => isPermittedSomewhere(scenes, caller, job));
    const classes = minionClasses(policies.fleet, [...own.old.lists, ...own.next.lists]);
    return [
      ...permitted.flatMap((job) => jobChanges(scenes, callers, { job, classes, wholes })),
      ...runs[caller.principal.kind === 'minion' ? 'minion' : 'others'].flatMap((run) =>
        changeOf(judgeBoth(scenes, caller, run), callers, run, []),
      ),
    ];
  });
}

/** Whether equal lists mean the same in both. */
function isSameGround({ old, next }: Policies): boolean {
  const [before, after] = [old, next].map(({ config, policy }) =>
    writeJson([config.publisher_acl_blacklist ?? null, config.nodegroups ?? null, { ...policy.settings }]),
  );
  return before === after;
}

interface Own {
  /** Equal for equal lists. */
  readonly shown: Value;
  /** Those about jobs. */
  readonly lists: readonly AccessList[];
}

function accessIn(view: PolicyView, caller: Caller): Own {
  const accesses = (['job', 'run'] as const).map((what) => {
    const ask = askOf(view, caller, { what, funs: [], args: [] });
    const access = ask.ok ? accessOf(view.policy, ask.value, undefined) : undefined;
    if (access?.ok !== true) return { shown: 'none', lists: [] };
    if ('full' in access.value) return { shown: 'full', lists: [] };
    const { lists } = access.value;
    return { shown: lists.map(({ source }) => source), lists };
  });
  return { shown: accesses.map(({ shown }) => shown), lists: accesses[0]?.lists ?? [] };
}

/** A request that reaches nobody is inside of every permitted target: what is refused then is refused for every target. */
function isPermittedSomewhere(scenes: Scenes, caller: Caller, job: Asked): boolean {
  const { before, after } = judgeBoth(scenes, caller, { ...job, target: { tgt: [NO_ID], tgtType: 'list' } });
  return before.allow || after.allow;
}

interface JobQuestions {
  readonly job: Asked;
  readonly classes: readonly (readonly string[])[];
  readonly wholes: readonly Whole[];
}

function jobChanges(scenes: Scenes, callers: Callers, { job, classes, wholes }: JobQuestions): readonly Change[] {
  const asked = classes.map((ids) => {
    const request = { ...job, target: listOf(ids) };
    return { ids, request, both: judgeBoth(scenes, callers.caller, request) };
  });
  const single = asked.flatMap(({ ids, request, both }) => changeOf(both, callers, request, ids));
  if (single.length > 0) return grouped(single, scenes.next.fleet);
  const permitted = new Set(asked.flatMap(({ ids, both }) => (both.after.allow ? ids : [])));
  for (const { target, firsts, isEmpty } of wholes) {
    // Where one of them is refused to the caller, so are all together.
    if (!isEmpty && !firsts.some((id) => permitted.has(id))) continue;
    const request = { ...job, target };
    const change = changeOf(judgeBoth(scenes, callers.caller, request), callers, request, undefined);
    if (change.length > 0) return change;
  }
  return [];
}

interface Scenes {
  readonly old: Scene;
  readonly next: Scene;
}

export function scenesOf({ old, next, fleet }: Policies): Scenes {
  return {
    old: { view: old, fleet, memo: new TargetMemo(4096) },
    next: { view: next, fleet, memo: new TargetMemo(4096) },
  };
}

interface Both {
  readonly before: Decision;
  readonly after: Decision;
}

function judgeBoth({ old, next }: Scenes, caller: Caller, asked: Asked): Both {
  return { before: judge(old, caller, asked), after: judge(next, caller, asked) };
}

function changeOf(
  { before, after }: Both,
  { caller, alike }: Callers,
  asked: Asked,
  ids: readonly string[] | undefined,
): readonly Change[] {
  if (before.allow === after.allow) return [];
  const granted = after.allow ? after : before;
  const rule = granted.allow ? granted.rules[0]?.path : undefined;
  const tgt = asked.target?.tgt ?? '';
  const on = ids ?? [typeof tgt === 'string' ? tgt : tgt.join(',')];
  return [
    { caller, alike, asked, becomes: after.allow ? 'allowed' : 'refused', on, isTarget: ids === undefined, rule },
  ];
}

/** Classes with the same change, and the same rule, become one line, with the ids in the order of the inventory. */
function grouped(changes: readonly Change[], { accepted }: Inventory): readonly Change[] {
  const found = new Map<string, Change>();
  for (const change of changes) {
    const key = JSON.stringify([change.becomes, change.rule]);
    const known = found.get(key);
    found.set(key, known === undefined ? change : { ...known, on: [...known.on, ...change.on] });
  }
  return [...found.values()].map((change) => {
    const on = new Set(change.on);
    return { ...change, on: [...accepted].filter((id) => on.has(id)) };
  });
}

/** One id stands for its class. */
function listOf(ids: readonly string[]): Target {
  return { tgt: ids.slice(0, 1), tgtType: 'list' };
}
