/** Text matching of the second evaluator, by JavaScript's own regular expressions: scenarios use only what both know alike. */
import type { Value } from '@natrium/model';

/** Text of a value; scenarios hold nothing but text where it is matched. */
export function plainText(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function startsWithPattern(pattern: string, text: string, anchored: boolean): boolean {
  return new RegExp(anchored ? `^(?:${pattern})` : pattern).test(text);
}

/** A shell glob, or else a regular expression from end to end. @param grouped Whether alternatives are grouped before. */
export function wholeMatches(expression: string, text: string, grouped: boolean): boolean {
  if (globMatches(expression, text)) return true;
  try {
    return new RegExp(grouped ? `^(?:${expression})$` : `^${expression}$`).test(text);
  } catch {
    // No regular expression, so it could only have been a glob.
    return false;
  }
}

export function globMatches(glob: string, text: string): boolean {
  const body = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
    .replaceAll('[!', '[^');
  return new RegExp(`^${body}$`, 's').test(text);
}
