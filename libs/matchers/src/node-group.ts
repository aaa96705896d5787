/**
 * Node groups: named compound expressions of the master's configuration.
 *
 * A definition without operators, letters and `*` is a list of ids (or one regular expression, when a word holds one of its
 * characters); nested groups are put in parentheses; a group inside of itself vanishes.
 *
 * Spec: spec/targeting.md#node-groups. The original's behaviour: compat/cases/nodegroup.jsonl.
 */
import { isList, isMap, pyStr, type Value } from '@natrium/model';
import { OPERATORS, splitWords } from './compound-words.js';

export type NodeGroups = ReadonlyMap<string, Value>;

/** Of an expression, its node groups filled in. */
export const MAX_WORDS = 10_000;
const REGEX_CHARS = /[([{\\?}\])]/;

/** Reads the configuration's `nodegroups`: a mapping, a list of mappings (merged), or nothing. */
export function readNodeGroups(raw: Value | undefined): NodeGroups {
  const maps = isMap(raw) ? [raw] : isList(raw) ? raw.filter(isMap) : [];
  return new Map(maps.flatMap((map) => Object.entries(map)));
}

/** The words that a group stands for, empty when it comes to nothing; undefined when there is none of that name, or it is unreadable. */
export function expandNodeGroup(name: string, groups: NodeGroups): readonly string[] | undefined {
  const words = groups.has(name) ? nodeGroupWords(name, groups) : undefined;
  return words !== undefined && isTexts(words) ? words : undefined;
}

/**
 * As the original expands it: a definition that is used as it stands keeps its words, of which an expression can hold texts only.
 *
 * @returns nothing for a name that is unknown, or means neither text nor a list; undefined when a part of it is unreadable, as whatever
 * it stands in is then.
 */
export function nodeGroupWords(name: string, groups: NodeGroups): readonly Value[] | undefined {
  try {
    return new Expansion(groups).expand(name, true);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

class Expansion {
  readonly #groups: NodeGroups;
  readonly #open = new Set<string>();
  #count = 0;

  constructor(groups: NodeGroups) {
    this.#groups = groups;
  }

  expand(name: string, outermost: boolean): readonly Value[] {
    const words = this.#open.has(name) ? undefined : definitionOf(this.#groups.get(name));
    if (words === undefined) return [];
    // Groups that name each other twice would double at every level.
    this.#count += words.length;
    if (this.#count > MAX_WORDS) throw new Unreadable();
    const isPlain = !words.map(pyStr).some(isGroupWord);
    const inside = this.#inside(name, words);
    const names = isPlain || !outermost ? namesOf(words) : undefined;
    if (names !== undefined) return [`${names.some((word) => REGEX_CHARS.test(word)) ? 'E' : 'L'}@${names.join(',')}`];
    if (isPlain && outermost) return words;
    return inside.length === 0 ? [] : ['(', ...inside, ')'];
  }

  #inside(name: string, words: readonly Value[]): readonly Value[] {
    this.#open.add(name);
    const inside = words.map(pyStr).flatMap((word) => (isGroupWord(word) ? this.expand(word.slice(2), false) : [word]));
    this.#open.delete(name);
    return inside;
  }
}

function definitionOf(raw: Value | undefined): readonly Value[] | undefined {
  if (typeof raw === 'string') return splitWords(raw);
  return isList(raw) ? raw : undefined;
}

function isGroupWord(word: string): boolean {
  return word.length >= 3 && word.startsWith('N@');
}

/**
 * The words when they are a list of ids.
 *
 * @throws {Unreadable} Where the original fails at the question: on a list or mapping, and without an operator on all that is no text.
 */
function namesOf(words: readonly Value[]): readonly string[] | undefined {
  if (words.some((word) => isList(word) || isMap(word))) throw new Unreadable();
  if (words.some((word) => typeof word === 'string' && OPERATORS.has(word))) return undefined;
  if (!isTexts(words)) throw new Unreadable();
  return words.some((word) => word.includes('*') || /^[A-Z]@/.test(word)) ? undefined : words;
}

function isTexts(words: readonly Value[]): words is readonly string[] {
  return words.every((word) => typeof word === 'string');
}
