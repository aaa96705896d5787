/** The one place where a command line's words become targets, functions and arguments; the rules are those of `libs/args`. */
import { parseCommandLine, parseWords, splitList } from '@natrium/args';
import { err, isList, ok, type Result, type Value } from '@natrium/model';

export interface CommandWords {
  readonly tgt: string | readonly string[];
  readonly funs: readonly string[];
  /** One list for each function. */
  readonly args: readonly (readonly Value[])[];
}

export interface WordRules {
  readonly list: boolean;
  readonly separator?: string;
  readonly noParse: readonly string[];
}

/** @returns the sentence for words that are incomplete. */
export function commandWords(
  words: readonly string[],
  { list, separator, noParse }: WordRules,
): Result<CommandWords, string> {
  const parsed = parseCommandLine(words, {
    tgtTypes: list ? ['list'] : [],
    noParse,
    ...(separator === undefined ? {} : { argsSeparator: separator }),
  });
  if (!parsed.ok) return err(parsed.error.sentence);
  const { tgt, fun, arg } = parsed.value;
  if (typeof fun === 'string') return ok({ tgt, funs: [fun], args: [arg] });
  return ok({ tgt, funs: fun, args: arg.map((group) => (isList(group) ? group : [])) });
}

export function targetWord(word: string, list: boolean): string | readonly string[] {
  return list ? splitList(word) : word;
}

export function callArguments(words: readonly string[], noParse: readonly string[]): readonly Value[] {
  return parseWords(words, { noParse });
}
