/**
 * The words behind the options of `natrium`: target, function or functions, arguments.
 *
 * A comma in the function word asks for several functions; their arguments are divided by a separator.
 *
 * Spec: spec/config.md#words. The original's behaviour: compat/cases/cli_args.jsonl, templates command-line*.
 */
import { err, ok, type Result, type Value } from '@natrium/model';
import { parseWords } from './words.js';
import { splitAtSpace } from './python-space.js';

/** Exit statuses that Salt's scripts know. */
const EXIT_INCOMPLETE = 42;
const EXIT_USAGE = 2;

export interface CommandLineOptions {
  /** The types of the target options that were given, such as `list` for `-L`; none means glob. */
  readonly tgtTypes?: readonly string[];
  /** `,` unless asked otherwise. */
  readonly argsSeparator?: string;
  readonly noParse?: readonly string[];
}

export interface Wanted {
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
}
export type CommandLine =
  | (Wanted & { readonly fun: string; readonly arg: readonly Value[] })
  | (Wanted & { readonly fun: readonly string[]; readonly arg: readonly (readonly Value[])[] });

export interface UsageError {
  readonly exit: number;
  readonly sentence: string;
}

/** @param argv The words that are no options: target, function, arguments. */
export function parseCommandLine(
  argv: readonly string[],
  options: CommandLineOptions = {},
): Result<CommandLine, UsageError> {
  const { tgtTypes = [], argsSeparator = ',', noParse = [] } = options;
  const [target, fun, ...words] = argv;
  if (tgtTypes.length > 1)
    return usage(EXIT_USAGE, `The target options ${tgtTypes.join(', ')} exclude each other; give one.`);
  if (target === undefined) return usage(EXIT_INCOMPLETE, 'Cannot execute command without defining a target.');
  if (fun === undefined) return usage(EXIT_INCOMPLETE, 'Incomplete options passed: a function is missing.');
  const tgtType = tgtTypes[0] ?? 'glob';
  const wanted = { tgt: tgtType === 'list' ? splitList(target) : target, tgtType };
  if (!fun.includes(',')) return ok({ ...wanted, fun, arg: parseWords(words, { noParse }) });
  const funs = fun.split(',');
  const groups = divide(words, funs.length, argsSeparator);
  if (groups.length < funs.length) {
    return usage(EXIT_INCOMPLETE, 'Cannot execute compound command without defining all arguments.');
  }
  if (groups.length > funs.length) {
    return usage(EXIT_INCOMPLETE, 'Cannot execute compound command with more arguments than commands.');
  }
  return ok({ ...wanted, fun: funs, arg: groups.map((group) => parseWords(group, { noParse })) });
}

/** A list target is split at commas, with all blanks removed, or else at white space. */
export function splitList(target: string): readonly string[] {
  return target.includes(',') ? target.replaceAll(' ', '').split(',') : splitAtSpace(target);
}

/** Stand-alone separators count when their number fits the functions; otherwise each is searched inside the words too. */
function divide(words: readonly string[], functions: number, separator: string): readonly (readonly string[])[] {
  const standAlone = words.filter((word) => word === separator).length === functions - 1;
  const groups: string[][] = [[]];
  for (const word of words) {
    const parts = standAlone ? (word === separator ? ['', ''] : [word]) : splitAt(word, separator);
    parts.forEach((part, index) => {
      if (index > 0) groups.push([]);
      // An empty part comes from the separator, an empty word was typed.
      if (part !== '' || parts.length === 1) groups.at(-1)?.push(part);
    });
  }
  return groups;
}

/** An empty separator divides nothing. */
function splitAt(word: string, separator: string): readonly string[] {
  return separator === '' ? [word] : word.split(separator);
}

function usage(exit: number, sentence: string): { readonly ok: false; readonly error: UsageError } {
  return err({ exit, sentence });
}
