/**
 * Whole match, as names of users and functions are matched in most access lists: a shell glob, or else a regular expression
 * from end to end.
 *
 * Diverges: an alternation is grouped before it is anchored (compat/divergences.md, alternation-not-grouped).
 *
 * Spec: spec/acl.md#whole-match.
 */
import { compileGlob } from './glob.js';
import { compilePattern } from './pattern.js';
import type { PatternProblem } from './pattern-syntax.js';

export interface WholeMatch {
  readonly source: string;
  /** Set when the text is no regular expression; as a glob it still matches. */
  readonly problem: PatternProblem | undefined;
  readonly test: (text: string) => boolean;
}

export function compileWholeMatch(source: string): WholeMatch {
  const glob = compileGlob(source);
  const pattern = compilePattern(source, { mode: 'whole' });
  return {
    source,
    problem: pattern.ok ? undefined : pattern.error,
    test: (text) => (glob.ok && glob.value.test(text)) || (pattern.ok && pattern.value.test(text)),
  };
}

/** Tells whether a text that is no regular expression was plainly meant as a glob: only `*`, `?`, `[...]` among names' characters. */
export function isPlainGlob(source: string): boolean {
  return /^(?:[\p{L}\p{N}_.@:*?/ -]|\[[^\][]+\])*$/u.test(source);
}
