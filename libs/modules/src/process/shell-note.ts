/** What is said of a command that runs without a shell and was, it seems, written for one. */
import { isList, isTrue, pyStr, splitArguments, type Value } from '@natrium/model';
import { splitWords } from './split-words.js';

export const NO_SHELL =
  'The command runs without a shell, its special characters as plain text; python_shell=True runs it in one.';

/** Functions of `cmd` that run a command so unless they are asked for more. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'cmd.run', 'cmd.run_all', 'cmd.run_bg', 'cmd.run_stderr', 'cmd.run_stdout', 'cmd.retcode',
]); // prettier-ignore

/** For who asks a minion: its own note stays there. @param args As they are sent. */
export function shellNote(fun: string, args: readonly Value[]): string | undefined {
  if (!FUNCTIONS.has(fun)) return undefined;
  const { positional, named } = splitArguments(args);
  const { cmd = positional[0] ?? null, python_shell: asked = null, shell = '' } = named;
  if (isTrue(asked) || isTrue(shell) || isList(cmd)) return undefined;
  try {
    return splitWords(pyStr(cmd)).looksLikeShell ? NO_SHELL : undefined;
  } catch {
    return undefined; // the minion says what is wrong with it
  }
}
