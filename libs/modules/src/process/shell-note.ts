/** What is said of a command that runs without a shell and was, it seems, written for one. */
import { isList, isTrue, pyStr, splitArguments, type Value } from '@natrium/model';
import { splitWords } from './split-words.js';

export const NO_SHELL =
  'The command runs without a shell, its special characters as plain text; python_shell=True runs it in one.';

/** Functions of `cmd` that run a command so unless they are asked for more. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'cmd.run', 'cmd.run_all', 'cmd.run_bg', 'cmd.run_stderr', 'cmd.run_stdout', 'cmd.retcode',
]); // prettier-ignore

/** First words that only a shell understands: they are no programs, or do nothing as such. */
const WORDS: ReadonlySet<string> = new Set([
  '.', '[[', 'alias', 'case', 'cd', 'command', 'eval', 'exec', 'exit', 'export', 'for', 'function', 'if', 'read', 'set', 'source', 'trap',
  'type', 'ulimit', 'umask', 'unset', 'until', 'wait', 'while', '{',
]); // prettier-ignore
/** A variable of what follows. */
const ASSIGNMENT = /^\w+=/;

/** The words of a command, and whether it seems to be written for a shell. @throws {InvocationError} As `splitWords`. */
export function splitCommand(command: Value): { readonly words: readonly string[]; readonly isOfShell: boolean } {
  if (isList(command)) return { words: command.map(pyStr), isOfShell: false };
  const { words, looksLikeShell } = splitWords(pyStr(command));
  const [first = ''] = words;
  return { words, isOfShell: looksLikeShell || WORDS.has(first) || ASSIGNMENT.test(first) };
}

/** Whether a shell reads the command: where nothing is said, one does that is named. */
export function isInShell({
  python_shell: asked,
  shell,
}: {
  readonly python_shell: boolean | null;
  readonly shell: string;
}): boolean {
  return asked ?? shell !== '';
}

/** For who asks a minion: its own note stays there. @param args As they are sent. */
export function shellNote(fun: string, args: readonly Value[]): string | undefined {
  if (!FUNCTIONS.has(fun)) return undefined;
  const { positional, named } = splitArguments(args);
  const { cmd = positional[0] ?? null, python_shell: asked = null, shell = '' } = named;
  if (isInShell({ python_shell: asked === null ? null : isTrue(asked), shell: pyStr(shell ?? '') })) return undefined;
  try {
    return splitCommand(cmd).isOfShell ? NO_SHELL : undefined;
  } catch {
    return undefined; // the minion says what is wrong with it
  }
}
