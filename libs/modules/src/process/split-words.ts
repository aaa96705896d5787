/** Splits a command into words as a POSIX shell quotes them (Python's `shlex.split`), and expands nothing. */
import { InvocationError } from '../loader/errors.js';

export interface Words {
  readonly words: readonly string[];
  /** Something unquoted that only a shell reads, such as `|`, `$`, `*.log`, `{a,b}`, `~` or a second line: the writer may have had one in mind. */
  readonly looksLikeShell: boolean;
}

/** What a shell reads of text without quotes, and of text in double ones. A `[` that nothing closes is a program. */
const PLAIN = /[|;&<>$`*?()]|\[[^[\]]+\]/;
const DOUBLE = /(?<!\\)[$`]/;
/** Stands for a home where a word begins so. */
const HOME = /^~(?:$|[/\w])/;

function isOfShell(plain: string, begins: boolean): boolean {
  return PLAIN.test(plain) || (begins && HOME.test(plain)) || (plain.match(/\{[^{}]+\}/g) ?? []).some(isSeveral);
}

/** `{a,b}` or `{1..9}`. */
function isSeveral(braces: string): boolean {
  return /,|\.\./.test(braces);
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
    const [blanks, single, double, escaped, plain] = match;
    const isNew = word === undefined;
    // A line that goes on has its end taken away by a shell.
    looksLikeShell ||= escaped === '\n' || isOfShell(plain ?? '', isNew) || DOUBLE.test(double ?? '');
    const piece = single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain;
    if (piece === undefined) {
      // A line that is followed by another.
      looksLikeShell ||= (words.length > 0 || !isNew) && blanks.includes('\n') && pattern.lastIndex < command.length;
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + piece;
  }
  if (word !== undefined) words.push(word);
  return { words, looksLikeShell };
}
