/** Text matching of the second evaluator, by JavaScript's own regular expressions: scenarios use only what both know alike. */
import type { Value } from '@natrium/model';

/** Text of a value; scenarios hold nothing but text where it is matched. */
export function plainText(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function startsWithPattern(pattern: string, text: string, anchored: boolean): boolean {
  return expressionOf(anchored ? `^(?:${pattern})` : pattern).test(text);
}

/** A shell glob, or else a regular expression from end to end. @param grouped Whether alternatives are grouped before. */
export function wholeMatches(expression: string, text: string, grouped: boolean): boolean {
  if (globMatches(expression, text)) return true;
  try {
    return expressionOf(grouped ? `^(?:${expression})$` : `^${expression}$`).test(text);
  } catch {
    // No regular expression, so it could only have been a glob.
    return false;
  }
}

export function globMatches(glob: string, text: string): boolean {
  const known = globs.get(glob) ?? globExpression(glob);
  globs.set(glob, known);
  return known.test(text);
}

function globExpression(glob: string): RegExp {
  const body = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
    .replaceAll('[!', '[^');
  return new RegExp(`^${body}$`, 's');
}

function expressionOf(source: string): RegExp {
  const known = expressions.get(source) ?? new RegExp(source);
  expressions.set(source, known);
  return known;
}

/** Scenarios are made of few patterns: compiled anew each time they would be most of the time of it all. */
const expressions = new Map<string, RegExp>();
const globs = new Map<string, RegExp>();
