/**
 * The nearest misses of a refusal, in sentences, for operators only: they show rules.
 *
 * What came near is found by `explainRefusal` of the gate's own library; here it becomes words.
 *
 * Spec: spec/acl.md#explaining.
 */
import {
  type Condition,
  type Entry,
  explainRefusal,
  isModuleFunction,
  type NearMiss,
  type Refused,
  type RulePath,
  type ValueRule,
} from '@natrium/acl';
import { pyStr, splitArguments, type Value } from '@natrium/model';
import { type Asked, askOf, type Caller, type Scene } from './caller.js';
import { type KeyedList, keyedLists, lastOf, type PolicyView, rulesOf, valueAt } from './policy-view.js';

export interface Miss {
  readonly path: RulePath | undefined;
  readonly sentence: string;
}

const MAX_MISSES = 8;
const MAX_LISTED = 6;

/** At most a few, the nearest first. */
export function nearestMisses(scene: Scene, caller: Caller, asked: Asked, denied: Refused): readonly Miss[] {
  const { view, fleet } = scene;
  if (denied.rule !== undefined)
    return [{ path: denied.rule.path, sentence: 'this rule of the blacklist refuses it, whatever else is permitted' }];
  if (denied.refusal.code !== 'not_permitted' && denied.refusal.code !== 'bad_credential') return [];
  const lists = listsFor(view, caller, asked);
  if (lists.length === 0) return [noKey(view, caller, asked)];
  if (asked.what !== 'job') return runMisses(view, lists, caller, asked);
  const ask = askOf(view, caller, asked);
  const misses = ask.ok ? explainRefusal(view.policy, ask.value, fleet) : [];
  const near = misses.filter(({ why }) => why !== 'function');
  return (near.length > 0 ? near : misses)
    .slice(0, MAX_MISSES)
    .map((miss) => ({ path: miss.path, sentence: sentenceOf(miss, view, asked) }));
}

const KIND_SECTIONS = {
  account: 'publisher_acl',
  external: 'external_auth',
  token: 'external_auth',
  runner: 'runner_grants',
  reactor: 'reactor_grants',
} as const;

function sectionFor({ principal }: Caller, { what }: Asked): KeyedList['section'] {
  if (principal.kind === 'minion') return what === 'job' ? 'peer' : 'peer_run';
  return KIND_SECTIONS[principal.kind];
}

/** Keys that name the caller, for the sentence only; whether they do is the compiled key's own word. */
function listsFor(view: PolicyView, caller: Caller, asked: Asked): readonly KeyedList[] {
  const { name } = caller.principal;
  const bare = caller.principal.kind === 'account' ? name.replace(/^sudo_/, '') : name;
  return keyedLists(view).filter(({ section, names, key, path }) => {
    if (section !== sectionFor(caller, asked)) return false;
    if (section === 'external_auth' && path[1] !== caller.backend) return false;
    return names === undefined ? caller.groups?.includes(key.replace(/%+$/, '')) === true : names(bare) || key === '*';
  });
}

function noKey(view: PolicyView, caller: Caller, asked: Asked): Miss {
  const section = sectionFor(caller, asked);
  const { external } = view.policy;
  if (section === 'external_auth' && external.size > 0 && !external.has(caller.backend ?? '')) {
    const shown = [...external.keys()].map((name) => `'${name}'`).join(', ');
    return { path: [section], sentence: `it has no back end '${caller.backend ?? ''}' (there are ${shown})` };
  }
  const keys = keyedLists(view).filter(
    (one) => one.section === section && (section !== 'external_auth' || one.path[1] === caller.backend),
  );
  const what = caller.principal.kind === 'minion' ? "the caller's id" : `the ${caller.principal.kind}'s name`;
  const shown = keys
    .slice(0, MAX_LISTED)
    .map(({ key }) => `'${key}'`)
    .join(', ');
  const more = keys.length > MAX_LISTED ? ` and ${keys.length - MAX_LISTED} more` : '';
  const sentence =
    keys.length === 0
      ? `there is no key in ${section}`
      : `${what} matches no key of ${section} (there are ${shown}${more})`;
  return { path: keys.length === 0 ? undefined : [section], sentence };
}

function runMisses(view: PolicyView, lists: readonly KeyedList[], caller: Caller, asked: Asked): readonly Miss[] {
  const { what, funs, args } = asked;
  const [fun = ''] = funs;
  if (caller.principal.kind === 'minion') {
    if (what === 'wheel') return [{ path: undefined, sentence: 'no minion may run a function of the wheel' }];
    return lists
      .slice(0, MAX_MISSES)
      .map(({ path, key }) => ({ path, sentence: `no pattern of '${key}' matches ${fun}` }));
  }
  if (!isModuleFunction(fun)) return [];
  const side = what === 'run' ? 'runner' : 'wheel';
  const misses = lists.flatMap(({ list }) =>
    list.entries.flatMap((entry) => specMisses(view, entry, { side, fun, args: args[0] ?? [] })),
  );
  return (misses.length > 0 ? misses : lists.map((keyed) => noSpec(keyed, fun, side))).slice(0, MAX_MISSES);
}

function noSpec({ path, key, list }: KeyedList, fun: string, side: string): Miss {
  const words = list.entries.flatMap(({ spec }) => (spec === undefined ? [] : [`@${spec.word}`]));
  const have = words.length === 0 ? 'none at all' : words.join(', ');
  const sentence = `${fun} needs an entry '@${side}' or '@${fun.split('.')[0] ?? ''}' in the list of '${key}'; it has ${have}`;
  return { path, sentence };
}

/** Of an entry that opens this side or this module, but not this function of it. */
function specMisses(
  view: PolicyView,
  { path, spec, functions }: Entry,
  { side, fun, args }: { readonly side: string; readonly fun: string; readonly args: readonly Value[] },
): readonly Miss[] {
  if (spec === undefined) return [];
  const { word } = spec;
  const [module = '', name = ''] = fun.split('.');
  const called = [...(word === module ? [name] : []), ...(word === side || word === `${side}s` ? [fun] : [])];
  const named = functions.filter(({ pattern }) => called.some((text) => pattern?.test(text) === true));
  if (named.length > 0)
    return named.map((rule) => ({
      path: rule.path,
      sentence: `the function matches, but ${argumentMiss(view, rule.path, args)}`,
    }));
  return called.map((text) => ({ path, sentence: `${text} is not among ${patternsAt(view, path)} of '@${word}'` }));
}

function sentenceOf(miss: NearMiss, view: PolicyView, asked: Asked): string {
  const { fun, why, path, target = '', outside = [] } = miss;
  const whom = `${outside.slice(0, MAX_LISTED).join(', ')}${outside.length > MAX_LISTED ? ', …' : ''} ${outside.length === 1 ? 'is' : 'are'} not in '${target}'`;
  const matches = asked.funs.length > 1 ? `${fun} matches` : 'the function matches';
  if (why === 'target') return `${matches}, but ${whom}`;
  if (why === 'function') return `${fun} is not among ${patternsAt(view, path)}`;
  const argument = argumentMiss(view, path, asked.args[asked.funs.indexOf(fun)] ?? []);
  return why === 'arguments' ? `${matches}, but ${argument}` : `${matches}, but ${argument}, and ${whom}`;
}

function patternsAt(view: PolicyView, path: RulePath): string {
  const sources = rulesOf(view)
    .filter(({ entry }) => entry.path === path)
    .map(({ rule }) => `'${rule.pattern?.source ?? '?'}'`);
  return sources.length === 0 ? `'${lastOf(path)}'` : sources.slice(0, MAX_LISTED).join(', ');
}

/** Which argument of the nearest alternative does not fit. */
function argumentMiss(view: PolicyView, path: RulePath, args: readonly Value[]): string {
  const rule = rulesOf(view).find((one) => one.rule.path === path)?.rule;
  const sentences = (rule?.conditions ?? [])
    .map((condition) => conditionMiss(condition, args))
    .filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? `its condition never holds: ${shownAt(view, path)}` : sentences.join(', or ');
}

function shownAt({ config }: PolicyView, path: RulePath): string {
  return pyStr(valueAt(config, path) ?? null).slice(0, 200);
}

function conditionMiss({ args, kwargs }: Condition, sent: readonly Value[]): string | undefined {
  const { positional, named } = splitArguments(sent);
  for (const [at, rule] of args.entries()) {
    const sentence = valueMiss(rule, positional[at], `the argument ${at + 1}`, at < positional.length);
    if (sentence !== undefined) return sentence;
  }
  for (const [name, rule] of kwargs) {
    const sentence = valueMiss(rule, named[name], `the argument ${name}`, Object.hasOwn(named, name));
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

function valueMiss(rule: ValueRule, value: Value | undefined, what: string, isThere: boolean): string | undefined {
  if (!isThere || value === undefined) return `${what} is missing`;
  if (rule === null || rule?.test(pyStr(value)) === true) return undefined;
  return `${what} '${pyStr(value).slice(0, 80)}' does not match '${rule?.source ?? '?'}'`;
}
