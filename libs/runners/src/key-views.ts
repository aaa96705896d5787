/** Keys in the shapes that Salt's clients read: by state, ids in Salt's order, and the cluster's own under the name of Salt's file. */
import { isList, isMap, pyStr, type Value, type ValueMap } from '@natrium/model';
import { ExecutionError } from '@natrium/modules';
import { anyOf, boundedGlobs } from './job-filter.js';
import { sortedIgnoringCase } from './sorted-ids.js';

export type ListedState = 'accepted' | 'pending' | 'rejected' | 'denied';

export interface KeyEntry {
  readonly id: string;
  readonly fingerprint: string;
  /** The public key as PEM. */
  readonly pem: string;
  readonly state: ListedState;
}

const GROUPS: readonly (readonly [string, ListedState])[] = [
  ['minions', 'accepted'],
  ['minions_pre', 'pending'],
  ['minions_rejected', 'rejected'],
  ['minions_denied', 'denied'],
];
/** The private key is in no file of the master: `master.pub` alone. */
const OF_MASTER = 'master.pub';

export const ALL_STATES = GROUPS.map(([, state]) => state);

/** The ids of all keys. */
export function everyKey(entries: readonly KeyEntry[]): ValueMap {
  return { ...grouped(entries, GROUPS), local: [OF_MASTER] };
}

/** @param match A state, or all of them. @throws {ExecutionError} For what is none. Diverges: Salt answers an empty map. */
export function keysOf(entries: readonly KeyEntry[], match: string): ValueMap {
  if (match.startsWith('all')) return everyKey(entries);
  const word = match.startsWith('un') ? 'pre' : match.slice(0, 3);
  const names: Readonly<Record<string, ListedState>> = {
    acc: 'accepted',
    pre: 'pending',
    rej: 'rejected',
    den: 'denied',
  };
  const groups = GROUPS.filter(([, state]) => state === names[word]);
  if (groups.length === 0) throw new ExecutionError(`there is no state '${match}': acc, pre, rej, den or all`);
  return grouped(entries, groups);
}

/** The groups that are not empty. */
export function filled(entries: readonly KeyEntry[]): ValueMap {
  const groups = Object.entries(grouped(entries, GROUPS));
  return Object.fromEntries(groups.filter(([, ids]) => isList(ids) && ids.length > 0));
}

function grouped(entries: readonly KeyEntry[], groups: typeof GROUPS): ValueMap {
  const of = (wanted: ListedState) => entries.filter(({ state }) => state === wanted).map(({ id }) => id);
  return Object.fromEntries(groups.map(([name, state]) => [name, sortedIgnoringCase(new Set(of(state)))]));
}

/** An id with several keys of one state shows them all. */
export function textsByState(
  entries: readonly KeyEntry[],
  textOf: (key: KeyEntry) => string,
  between: string,
): ValueMap {
  const of = (wanted: ListedState): ValueMap => {
    const found = new Map<string, string>();
    for (const entry of entries.filter(({ state }) => state === wanted)) {
      const before = found.get(entry.id);
      found.set(entry.id, before === undefined ? textOf(entry) : before + between + textOf(entry));
    }
    return Object.fromEntries(sortedIgnoringCase(found.keys()).map((id) => [id, found.get(id) ?? '']));
  };
  const groups = GROUPS.map(([name, state]) => [name, of(state)] as const);
  return Object.fromEntries(groups.filter(([, found]) => Object.keys(found).length > 0));
}

/** Under the name of Salt's file, by which its clients look it up. */
export function ofMaster(text: string): ValueMap {
  return { local: { [OF_MASTER]: text } };
}

/** @param match Globs of ids: a list or with commas; or exact ids by state. */
export function selected(entries: readonly KeyEntry[], match: Value): readonly KeyEntry[] {
  if (isMap(match)) {
    const ids = new Map(GROUPS.map(([name, state]) => [state, new Set(listOf(match[name] ?? []).map(pyStr))]));
    return entries.filter(({ id, state }) => ids.get(state)?.has(id));
  }
  const isMeant = anyOf(globsIn(match));
  return entries.filter(({ id }) => isMeant(id));
}

/** Whether somebody who asks so means the cluster's own key as well. */
export function meansMaster(match: Value): boolean {
  return !isMap(match) && anyOf(globsIn(match))(OF_MASTER);
}

/** @throws {ExecutionError} When it holds no ids by state. */
export function requireByState(match: Value): ValueMap {
  const names = GROUPS.map(([name]) => name);
  if (isMap(match) && Object.keys(match).every((name) => names.includes(name) || name === 'local')) return match;
  throw new ExecutionError(`match holds ids by state, as list_all tells them: ${names.join(', ')}`);
}

/** All ids that a match by state names. */
export function idsIn(match: ValueMap): ReadonlySet<string> {
  return new Set(Object.values(match).flatMap(listOf).map(pyStr));
}

/** @throws {InvocationError} When they are too many. */
function globsIn(match: Value): readonly string[] {
  const words = isList(match) ? match.map(pyStr) : pyStr(match).split(',');
  return boundedGlobs(words.map((word) => word.trim()).filter((word) => word !== ''));
}

function listOf(value: Value): readonly Value[] {
  return isList(value) ? value : [value];
}
