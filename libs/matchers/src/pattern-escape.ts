/**
 * Escapes of Python's regular expressions, outside and inside of a set.
 *
 * Only what Python knows is read; what merely RE2 knows (`\z`, `\pL`, `\Q`) is refused, so that no pattern means two things.
 */
import type { Cursor } from './pattern-cursor.js';
import { type Node, PatternError, type PyClass, type SetItem } from './pattern-syntax.js';

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };

export type Escaped =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'class'; readonly item: SetItem }
  | { readonly kind: 'at'; readonly node: Node };

/** Reads what follows a backslash. */
export function readEscape(cursor: Cursor, inSet: boolean, ascii: boolean): Escaped {
  const char = cursor.next();
  const name = classOf(char.toLowerCase());
  if (name !== undefined)
    return { kind: 'class', item: { kind: 'class', name, negated: char !== char.toLowerCase(), ascii } };
  const control = CONTROLS[char];
  if (control !== undefined) return { kind: 'char', code: control };
  if (inSet && char === 'b') return { kind: 'char', code: 8 };
  if (char === 'x') return { kind: 'char', code: hex(cursor, 2, 'x') };
  if (char === 'u') return { kind: 'char', code: hex(cursor, 4, 'u') };
  if (char === 'U') return { kind: 'char', code: codePoint(hex(cursor, 8, 'U')) };
  if (/[0-9]/.test(char)) return { kind: 'char', code: octal(cursor, char, inSet) };
  const at = inSet ? undefined : anchorOf(char, ascii);
  if (at !== undefined) return { kind: 'at', node: at };
  if (char === 'N') throw new PatternError('\\N{…} is not supported: write the character itself, or \\uXXXX');
  if (/[a-zA-Z]/.test(char)) throw new PatternError(`\\${char} is not an escape of Python's patterns`);
  return { kind: 'char', code: char.codePointAt(0) ?? 0 };
}

function classOf(char: string): PyClass | undefined {
  return char === 'd' || char === 'w' || char === 's' ? char : undefined;
}

function anchorOf(char: string, ascii: boolean): Node | undefined {
  if (char === 'A') return { kind: 'at', at: 'start' };
  if (char === 'Z') return { kind: 'at', at: 'text-end' };
  if (char === 'b' || char === 'B') return { kind: 'boundary', negated: char === 'B', ascii };
  return undefined;
}

function hex(cursor: Cursor, digits: number, name: string): number {
  const text = cursor.takeWhile(/^[0-9a-fA-F]$/, digits);
  if (text.length !== digits) throw new PatternError(`\\${name} needs ${String(digits)} hexadecimal digits`);
  return parseInt(text, 16);
}

function codePoint(code: number): number {
  if (code > 0x10ffff) throw new PatternError('\\U names no character');
  return code;
}

/** `\0`, `\012` and, in a set, any digits are octal; everything else with a digit is a back-reference. */
function octal(cursor: Cursor, first: string, inSet: boolean): number {
  const more = cursor.takeWhile(/^[0-7]$/, 2);
  const isOctal = first === '0' || inSet || (/[0-3]/.test(first) && more.length === 2);
  if (!isOctal || /[89]/.test(first))
    throw new PatternError(`the back-reference \\${first} cannot be tested in linear time`);
  const code = parseInt(first + more, 8);
  if (code > 0o377) throw new PatternError(`the octal escape \\${first}${more} is out of range`);
  return code;
}
