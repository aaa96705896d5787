/** Patterns of access lists, with the problems that a loader reports. */
import { compilePattern, compileWholeMatch, isPlainGlob, type Pattern, type WholeMatch } from '@natrium/matchers';
import type { RulePath } from './policy.js';
import type { ProblemList } from './problem-list.js';

/** A pattern matched from the first character, open at the end; undefined when the text is none. */
export function prefixPattern(text: string, path: RulePath, problems: ProblemList): Pattern | undefined {
  const made = compilePattern(text, { mode: 'prefix' });
  if (made.ok) return made.value;
  problems.add(path, `the pattern '${text}' cannot be used: ${made.error.reason}`, mendPattern(text));
  return undefined;
}

function mendPattern(text: string): string {
  return text.startsWith('*')
    ? `did you mean '.${text}'?`
    : 'write a regular expression in the syntax of spec/acl.md#patterns';
}

/** A glob, or else a regular expression from end to end. */
export function wholePattern(text: string, path: RulePath, problems: ProblemList): WholeMatch {
  const match = compileWholeMatch(text);
  if (match.problem !== undefined && !isPlainGlob(text)) addUnusable(text, match.problem.reason, path, problems);
  return match;
}

/** The same for whom a list is: a domain's account is meant as it stands, also where what follows its backslash is no escape. */
export function userPattern(text: string, path: RulePath, problems: ProblemList): WholeMatch {
  return isDomainAccount(text) ? compileWholeMatch(text) : wholePattern(text, path, problems);
}

function addUnusable(text: string, reason: string, path: RulePath, problems: ProblemList): void {
  const isUser = path.at(-2) === 'users' && isDomainAccount(text);
  const mend = isUser ? `did you mean '${text.replace('\\', '\\\\')}'?` : mendPattern(text);
  problems.add(path, `the pattern '${text}' cannot be used: ${reason}`, mend);
}

/** As `CORP\joe`. */
function isDomainAccount(text: string): boolean {
  return /^[\p{L}\p{N}_.-]+\\[\p{L}\p{N}_.@$-]+$/u.test(text);
}

/** `web\*` needs a star in a name, which no name has. */
export function warnEscapedStar(text: string, path: RulePath, problems: ProblemList): void {
  if (!text.includes('\\*')) return;
  problems.add(
    path,
    `no valid name can match '${text}': the star is escaped`,
    `did you mean '${text.replaceAll('\\*', '*')}'?`,
  );
}
