/**
 * Argument words to arguments, as a command line, a peer's request and an HTTP body give them.
 *
 * A word `name=value` is a named argument, any other text is positional; both are read by `yamlify`. The named ones travel
 * as one last mapping with `__kwarg__: true`. What is not text is taken as it is.
 *
 * Spec: spec/config.md#words. The original's behaviour: compat/cases/cli_args.jsonl.
 */
import { isList, isMap, KWARG_MARK, type Value, type ValueMap, withoutMark } from '@natrium/model';
import { yamlify } from './yamlify.js';

/** The name begins with a letter or `_`; `==` is no separator; the value holds no line break (one at the very end is dropped). */
const NAMED = /^([\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_.-]*)=(?!=)([^\n]*)\n?$/u;

export interface WordOptions {
  /** Names whose values stay text. */
  readonly noParse?: readonly string[];
  /** Named arguments that are known already; they win. */
  readonly named?: ValueMap;
}

export interface NamedWord {
  readonly name: string;
  readonly value: string;
}

/** @returns undefined when the word is positional. */
export function parseNamedWord(word: string): NamedWord | undefined {
  const match = NAMED.exec(word);
  return match?.[1] === undefined ? undefined : { name: match[1], value: match[2] ?? '' };
}

/** Positional values in their order, then one mapping of the named ones, if any; of a name given twice the last counts. */
export function parseWords(words: readonly Value[], { noParse = [], named = {} }: WordOptions = {}): readonly Value[] {
  const positional: Value[] = [];
  const names = new Map<string, Value>();
  for (const word of words) {
    if (isKwargMap(word)) for (const [name, value] of Object.entries(withoutMark(word))) names.set(name, value);
    else if (isMap(word)) positional.push(withoutMark(word));
    else if (typeof word !== 'string') positional.push(jidAsText(word));
    else {
      const given = parseNamedWord(word);
      if (given === undefined) positional.push(jidAsText(yamlify(word)));
      else names.set(given.name, noParse.includes(given.name) ? given.value : yamlify(given.value));
    }
  }
  for (const [name, value] of Object.entries(named)) names.set(name, value);
  if (names.size === 0) return positional;
  return [...positional, Object.fromEntries(new Map<string, Value>([[KWARG_MARK, true], ...names]))];
}

/** What a master makes of a peer's arguments; conditions are checked on the answer, and it is what is sent. */
export function parsePeerArguments(args: readonly Value[], noParse: readonly string[] = []): readonly Value[] {
  return parseWords(args, { noParse });
}

/** The one `arg` of `publish.publish` as a list: null is none, a list is itself, all else is a single argument. */
export function publishArguments(arg: Value): readonly Value[] {
  const value = yamlify(arg);
  if (value === null) return [];
  return isList(value) ? value : [value];
}

/** Only `true` marks named arguments; with any other value the mark is dropped and the mapping is positional. */
function isKwargMap(word: Value): word is ValueMap {
  return isMap(word) && word[KWARG_MARK] === true;
}

/** Job ids are text everywhere; a number of twenty characters is one that lost its quotes. */
export function jidAsText(value: Value): Value {
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  const text = String(value);
  return /^[-\d]\d{19}$/.test(text) ? text : value;
}
