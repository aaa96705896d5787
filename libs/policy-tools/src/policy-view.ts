/** A policy to be looked at: its lists as they stand in the file, compiled, and what is wrong with them. */
import {
  type AccessList,
  compilePolicy,
  type Entry,
  type FunctionRule,
  type Policy,
  type PolicyConfig,
  type PolicyProblem,
  type RulePath,
} from '@natrium/acl';
import { isList, isMap, type Value } from '@natrium/model';

/** The modules of runners and of the wheel, where whoever asks knows all that there can be. */
export interface KnownModules {
  readonly names: ReadonlySet<string>;
  /** The one of `among` that a misspelt word was probably meant to be. */
  readonly nearest: (word: string, among: Iterable<string>) => string | undefined;
}

export interface PolicyView {
  readonly config: PolicyConfig;
  readonly policy: Policy;
  readonly problems: readonly PolicyProblem[];
  /** undefined: there may be modules that nobody here knows of. */
  readonly modules?: KnownModules;
}

/** Compiles with the gate's own compiler; what is malformed grants nothing and is in `problems`. */
export function viewPolicy(config: PolicyConfig, modules?: KnownModules): PolicyView {
  return { config, ...compilePolicy(config), ...(modules === undefined ? {} : { modules }) };
}

export type Section = 'peer' | 'peer_run' | 'publisher_acl' | 'external_auth' | 'runner_grants' | 'reactor_grants';

export interface KeyedList {
  readonly section: Section;
  readonly path: RulePath;
  /** As it stands in the file. */
  readonly key: string;
  readonly list: AccessList;
  /** Tells whether the key names this caller; undefined where the key names a group, or is no pattern. */
  readonly names: ((name: string) => boolean) | undefined;
}

export function keyedLists({ policy }: PolicyView): readonly KeyedList[] {
  const { peer, peerRun, runnerGrants, reactorGrants, publisher, external } = policy;
  const callers = [['peer', peer], ['peer_run', peerRun], ['runner_grants', runnerGrants], ['reactor_grants', reactorGrants]] as const; // prettier-ignore
  return [
    ...callers.flatMap(([section, rules]) =>
      rules.map(({ path, list, callers: pattern }) => ({
        section,
        path,
        key: lastOf(path),
        list,
        names: pattern?.test,
      })),
    ),
    ...publisher.map(({ path, key, list, users }) => ({
      section: 'publisher_acl' as const,
      path,
      key,
      list,
      names: users.test,
    })),
    ...[...external.values()].flat().map(({ path, key, list, users, group }) => ({
      section: 'external_auth' as const,
      path,
      key,
      list,
      names: group === undefined ? users.test : undefined,
    })),
  ];
}

export interface Rule {
  readonly keyed: KeyedList;
  readonly entry: Entry;
  readonly rule: FunctionRule;
}

/** Every function rule of every list, in the order of the file. */
export function rulesOf(view: PolicyView): readonly Rule[] {
  return keyedLists(view).flatMap((keyed) =>
    keyed.list.entries.flatMap((entry) => entry.functions.map((rule) => ({ keyed, entry, rule }))),
  );
}

/** What stands at a place of the file; undefined where nothing does. */
export function valueAt(config: PolicyConfig, path: RulePath): Value | undefined {
  let value: Value | undefined = config as { readonly [key: string]: Value };
  for (const step of path) {
    if (isList(value)) value = value[Number(step)];
    else if (isMap(value) && Object.hasOwn(value, String(step))) value = value[String(step)];
    else return undefined;
  }
  return value;
}

/** `publisher_acl.fred[3].web*[0]`. */
export function showPath(path: RulePath): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
}

export function lastOf(path: RulePath): string {
  return String(path.at(-1) ?? '');
}

export function isBelow(path: RulePath, above: RulePath): boolean {
  return above.every((step, at) => path[at] === step);
}
