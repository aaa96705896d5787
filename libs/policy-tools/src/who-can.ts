/** Who may: every key of every section, by a caller that it names, and every minion of the inventory. */
import { type Allowed as Granted, isForEverybody, type RulePath, TargetMemo } from '@natrium/acl';
import type { Value } from '@natrium/model';
import { type Asked, type Caller, judge, type Scene } from './caller.js';
import { type Holder, holdersOf } from './holders.js';
import { isBelow, keyedLists, rulesOf } from './policy-view.js';
import { sampleArguments } from './sample-arguments.js';

export interface Allowed {
  readonly holder: Holder;
  readonly caller: Caller;
  readonly granted: Granted;
  /** Set when only arguments such as these are permitted. */
  readonly args?: readonly Value[];
}

export interface AllowedMinions {
  readonly path: RulePath;
  readonly ids: readonly string[];
}

export interface WhoCan {
  readonly holders: readonly Allowed[];
  readonly minions: readonly AllowedMinions[];
  /** Keys for which no caller could be found: nothing is said of them. */
  readonly unknown: readonly Holder[];
  /** Why the target means no minion, so that no rule's own target was looked at. */
  readonly nobody?: string;
}

export function whoCan(scene: Scene, asked: Asked): WhoCan {
  const full: Scene = { ...scene, memo: new TargetMemo(64) };
  const holders = holdersOf(scene.view, scene.fleet);
  const may = holders.flatMap((holder) => allowedTo(holder, full, asked));
  const nobody = may.find(({ granted }) => granted.nobody !== undefined)?.granted.nobody;
  return {
    holders: may,
    minions: minionsThatMay(full, asked),
    unknown: holders.filter(({ caller }) => caller === undefined),
    ...(nobody === undefined ? {} : { nobody }),
  };
}

function allowedTo(holder: Holder, scene: Scene, asked: Asked): readonly Allowed[] {
  const { caller } = holder;
  if (caller === undefined || !concerns(holder, asked)) return [];
  const granted = grantedBy(holder, scene, caller, asked);
  if (granted !== undefined) return [{ holder, caller, granted }];
  for (const args of argumentsFor(holder, scene, asked)) {
    const conditional = grantedBy(holder, scene, caller, { ...asked, args: asked.funs.map(() => args) });
    if (conditional !== undefined) return [{ holder, caller, granted: conditional, args }];
  }
  return [];
}

/** `peer` is about jobs, `peer_run` about runners. */
function concerns({ section }: Holder, { what }: Asked): boolean {
  if (section === 'peer') return what === 'job';
  return section === 'peer_run' ? what === 'run' : true;
}

function grantedBy({ path }: Holder, scene: Scene, caller: Caller, asked: Asked): Granted | undefined {
  const verdict = judge(scene, caller, asked);
  if (!verdict.allow) return undefined;
  // What is open to whoever has a list stands below no key.
  const isMeant = verdict.rules.every(isForEverybody) || verdict.rules.some((rule) => isBelow(rule.path, path));
  return isMeant ? verdict : undefined;
}

function argumentsFor({ path }: Holder, { view }: Scene, { funs, args }: Asked): readonly (readonly Value[])[] {
  if (args.some((list) => list.length > 0)) return [];
  const rules = rulesOf(view).filter(
    ({ rule }) => isBelow(rule.path, path) && funs.some((fun) => rule.pattern?.test(fun)),
  );
  return rules.flatMap(({ rule }) => sampleArguments(rule));
}

function minionsThatMay(scene: Scene, asked: Asked): readonly AllowedMinions[] {
  const section = asked.what === 'job' ? 'peer' : 'peer_run';
  const names = keyedLists(scene.view).flatMap((keyed) =>
    keyed.section === section && keyed.names !== undefined ? [keyed.names] : [],
  );
  const byRule = new Map<string, { readonly path: RulePath; readonly ids: string[] }>();
  for (const id of scene.fleet.accepted) {
    if (!names.some((test) => test(id))) continue;
    const verdict = judge(scene, { principal: { kind: 'minion', name: id } }, asked);
    const path = verdict.allow ? verdict.rules[0]?.path : undefined;
    if (path === undefined) continue;
    const key = JSON.stringify(path);
    const known = byRule.get(key) ?? { path, ids: [] };
    known.ids.push(id);
    byRule.set(key, known);
  }
  return [...byRule.values()];
}
