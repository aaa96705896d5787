/**
 * Node groups: named compound expressions of the master's configuration.
 *
 * A definition without operators, letters and `*` is a list of ids (or one regular expression, when a word holds one of its
 * characters); nested groups are put in parentheses; a group inside of itself vanishes.
 *
 * Spec: spec/targeting.md#node-groups. The original's behaviour: compat/cases/nodegroup.jsonl.
 */
import { isList, isMap, type Value } from '@natrium/model';
import { OPERATORS, splitWords } from './compound-words.js';

export type NodeGroups = ReadonlyMap<string, Value>;

const MAX_WORDS = 10_000;
/** An empty group, which no expression can hold. */
export const UNREADABLE: readonly string[] = ['(', ')'];
const REGEX_CHARS = /[([{\\?}\])]/;

/** Reads the configuration's `nodegroups`: a mapping, a list of mappings (merged), or nothing. */
export function readNodeGroups(raw: Value | undefined): NodeGroups {
  const maps = isMap(raw) ? [raw] : isList(raw) ? raw.filter(isMap) : [];
  return new Map(maps.flatMap((map) => Object.entries(map)));
}

/**
 * The words that a group stands for; empty when it comes to nothing.
 *
 * @returns undefined when there is no such group, or its definition is neither text nor a list of texts (and, beside other groups, whole numbers).
 */
export function expandNodeGroup(name: string, groups: NodeGroups): readonly string[] | undefined {
  if (!groups.has(name) || definitionOf(groups.get(name), true) === UNREADABLE) return undefined;
  return new Expansion(groups).expand(name, true);
}

class Expansion {
  readonly #groups: NodeGroups;
  readonly #open = new Set<string>();
  #count = 0;

  constructor(groups: NodeGroups) {
    this.#groups = groups;
  }

  expand(name: string, outermost: boolean): readonly string[] | undefined {
    const words = this.#open.has(name) ? undefined : definitionOf(this.#groups.get(name), outermost);
    if (words === undefined) return undefined;
    // Groups that name each other twice would double at every level.
    this.#count += words.length;
    if (this.#count > MAX_WORDS) return UNREADABLE;
    this.#open.add(name);
    const nested = words.some(isGroupWord);
    const inside = words.flatMap((word) => (isGroupWord(word) ? (this.expand(word.slice(2), false) ?? []) : [word]));
    this.#open.delete(name);
    if (!nested && isNameList(words))
      return [`${words.some((word) => REGEX_CHARS.test(word)) ? 'E' : 'L'}@${words.join(',')}`];
    if (!nested && outermost) return inside;
    return inside.length === 0 ? [] : ['(', ...inside, ')'];
  }
}

function definitionOf(raw: Value | undefined, outermost: boolean): readonly string[] | undefined {
  if (typeof raw === 'string') return splitWords(raw);
  if (!isList(raw)) return undefined;
  // A number is an id only where groups are put together: in a list of names the original fails on it.
  const isComposed = !outermost || raw.some((word) => typeof word === 'string' && isGroupWord(word));
  const words = raw
    .map((word) => (isComposed && typeof word === 'number' && Number.isSafeInteger(word) ? String(word) : word))
    .filter((word) => typeof word === 'string');
  // Vanishing would leave what stands beside it to mean more; the whole expression means nobody.
  return words.length === raw.length ? words : UNREADABLE;
}

function isGroupWord(word: string): boolean {
  return word.length >= 3 && word.startsWith('N@');
}

function isNameList(words: readonly string[]): boolean {
  return !words.some((word) => OPERATORS.has(word) || word.includes('*') || /^[A-Z]@/.test(word));
}
