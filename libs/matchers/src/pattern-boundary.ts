/**
 * Word boundaries as Python knows them, with an engine whose own know ASCII only: a mark before the text and behind each of its
 * characters says what lies between two of them, and the pattern looks back at it.
 */
import type { Node } from './pattern-syntax.js';

const WORD = /[\p{L}\p{N}_]/u;
const ASCII_WORD = /\w/;
/** By whether it is a boundary at all, and whether in ASCII; the empty text has neither `\b` nor `\B`, as in Python. */
const MARKS = { both: 'b', any: 'u', ascii: 'a', none: 'n', empty: 'e' } as const;

export function boundaryMarks({ negated, ascii }: Extract<Node, { kind: 'boundary' }>): string {
  const own = ascii ? MARKS.ascii : MARKS.any;
  const others = ascii ? MARKS.any : MARKS.ascii;
  return negated ? `[${others}${MARKS.none}]` : `[${own}${MARKS.both}]`;
}

export function markBoundaries(text: string): string {
  if (text === '') return MARKS.empty;
  const chars = [...text];
  const marks = ['', ...chars].map((char, index) => markBetween(char, chars[index] ?? ''));
  return marks.map((mark, index) => mark + (chars[index] ?? '')).join('');
}

function markBetween(left: string, right: string): string {
  const any = WORD.test(left) !== WORD.test(right);
  const ascii = ASCII_WORD.test(left) !== ASCII_WORD.test(right);
  if (any) return ascii ? MARKS.both : MARKS.any;
  return ascii ? MARKS.ascii : MARKS.none;
}
