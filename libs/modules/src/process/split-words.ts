/** Splits a command into words as a POSIX shell quotes them (Python's `shlex.split`), and expands nothing. */
import { InvocationError } from '../loader/errors.js';

export interface Words {
  readonly words: readonly string[];
  /** An unquoted `|`, `;`, `&`, `<`, `>`, `$` or backquote: the writer may have had a shell in mind. */
  readonly looksLikeShell: boolean;
}

/** @throws {InvocationError} When a quote is not closed, or a backslash ends the text. */
export function splitWords(command: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  let looksLikeShell = false;
  // Blanks are those of a shell: one that does not break belongs to a name.
  const pattern = /[ \t\r\n]+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^ \t\r\n'"\\]+)/suy;
  while (pattern.lastIndex < command.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(command);
    if (match === null)
      throw new InvocationError(`a quote or an escape at position ${String(at)} of the command is not closed`);
    const [, single, double, escaped, plain] = match;
    const piece = single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain;
    if (piece === undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + piece;
    looksLikeShell ||= plain !== undefined && /[|;&<>$`]/.test(plain);
  }
  if (word !== undefined) words.push(word);
  return { words, looksLikeShell };
}
