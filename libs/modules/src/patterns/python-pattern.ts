/**
 * A regular expression as Python writes it, in JavaScript's words. What reads differently in the two is rewritten, what JavaScript
 * has not got is left for its own parser to refuse: a pattern never means something else in silence.
 *
 * Lines end at `\n` alone, for `^`, `$` and the dot; `$` without MULTILINE also stands before a last line end; a `]` that opens a
 * class is a character of it. As in the original, which matches bytes, `\w` and `\d` know ASCII alone.
 */
import { InvocationError } from '../loader/errors.js';

export interface Pattern {
  readonly source: string;
  /** Python's: 2 ignores case, 8 is of many lines, 16 has a dot mean line ends too. */
  readonly flags: number;
}

export interface Translated {
  readonly source: string;
  readonly flags: '' | 'i';
}

const BITS: Readonly<Record<string, number>> = { i: 2, m: 8, s: 16, u: 32, a: 256 };
const [IGNORECASE, MULTILINE, DOTALL] = [2, 8, 16];
const KNOWN = Object.values(BITS).reduce((all, bit) => all | bit);

/** @throws {InvocationError} When it does not compile, or with flags that are none of those above. */
export function inJavaScript({ source: written, flags: given }: Pattern): Translated {
  const { source, flags } = withOpeningFlags(written, given);
  if ((flags & ~KNOWN) !== 0) throw new InvocationError(`Invalid re flag given: ${given}`);
  const translated: Translated = { source: rewritten(source, flags), flags: (flags & IGNORECASE) === 0 ? '' : 'i' };
  try {
    new RegExp(translated.source, translated.flags);
  } catch (error) {
    throw fault(error instanceof Error ? error.message : '');
  }
  return translated;
}

/** `(?im)` at the very beginning counts for all of it. */
function withOpeningFlags(source: string, given: number): Pattern {
  const [all = '', letters = ''] = /^\(\?([imsua]+)\)/.exec(source) ?? [];
  const flags = [...letters].reduce((bits, letter) => bits | (BITS[letter] ?? 0), given);
  return { source: source.slice(all.length), flags };
}

function rewritten(source: string, flags: number): string {
  const pieces: string[] = [];
  for (let at = 0; at < source.length;) {
    const { text, length } = pieceAt(source, at, flags);
    pieces.push(text);
    at += length;
  }
  return pieces.join('');
}

interface Piece {
  readonly text: string;
  /** Characters of the Python pattern that it replaces. */
  readonly length: number;
}

function pieceAt(source: string, at: number, flags: number): Piece {
  const char = source.charAt(at);
  switch (char) {
    case '\\':
      return { text: escaped(source.slice(at, at + 2)), length: 2 };
    case '[':
      return classAt(source, at);
    case '^':
      return { text: (flags & MULTILINE) === 0 ? '^' : '(?<![^\\n])', length: 1 };
    case '$':
      return { text: (flags & MULTILINE) === 0 ? '(?=\\n?(?![\\s\\S]))' : '(?![^\\n])', length: 1 };
    case '.':
      return { text: (flags & DOTALL) === 0 ? '[^\\n]' : '[\\s\\S]', length: 1 };
    case '(':
      return groupAt(source, at);
    case '{':
      return countAt(source, at);
    default:
      return { text: char, length: 1 };
  }
}

/** JavaScript would take these two for letters. */
function escaped(pair: string): string {
  if (pair === '\\A') return '(?<![\\s\\S])';
  return pair === '\\Z' ? '(?![\\s\\S])' : pair;
}

const GROUP = /\(\?P(?:<(\w+)>|=(\w+)\))/y;

function groupAt(source: string, at: number): Piece {
  if (source.startsWith('(?#', at)) {
    const end = source.indexOf(')', at);
    if (end < 0) throw fault('missing ), unterminated comment');
    return { text: '', length: end + 1 - at };
  }
  GROUP.lastIndex = at;
  const [all = '(', name, same] = GROUP.exec(source) ?? [];
  if (name !== undefined) return { text: `(?<${name}>`, length: all.length };
  return { text: same === undefined ? '(' : `\\k<${same}>`, length: all.length };
}

const UP_TO = /\{,(\d+)\}/y;

function countAt(source: string, at: number): Piece {
  UP_TO.lastIndex = at;
  const [all = '{', most] = UP_TO.exec(source) ?? [];
  return { text: most === undefined ? '{' : `{0,${most}}`, length: all.length };
}

function classAt(source: string, at: number): Piece {
  const open = source.charAt(at + 1) === '^' ? '[^' : '[';
  const from = at + open.length;
  let end = source.charAt(from) === ']' ? from + 1 : from;
  while (end < source.length && source.charAt(end) !== ']') end += source.charAt(end) === '\\' ? 2 : 1;
  if (end >= source.length) throw fault('unterminated character set');
  const inside = source.slice(from, end);
  const bad = (inside.match(/\\[\s\S]/g) ?? []).find((pair) => pair === '\\A' || pair === '\\Z');
  if (bad !== undefined) throw fault(`${bad} in a class of characters`);
  return { text: `${open}${inside.startsWith(']') ? '\\' : ''}${inside}]`, length: end + 1 - at };
}

function fault(why: string): InvocationError {
  return new InvocationError(`the pattern does not compile: ${why}`);
}
