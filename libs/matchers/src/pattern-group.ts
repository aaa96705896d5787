/** Reads `(...)` in all of Python's forms; names the forms that are refused. */
import type { Cursor } from './pattern-cursor.js';
import { type Node, PatternError } from './pattern-syntax.js';

export interface Flags {
  /** `i`: letters match in both cases. */
  readonly fold: boolean;
  /** `m`: `^` and `$` match at each line. */
  readonly lines: boolean;
  /** `s`: the dot matches a newline. */
  readonly newline: boolean;
  /** `a`: `\d`, `\w`, `\s` know ASCII only. */
  readonly ascii: boolean;
}

/** Whoever reads the pattern around a group, and what is in it. */
export interface Reading {
  readonly cursor: Cursor;
  /** Of the groups so far. */
  readonly names: Set<string>;
  /** Whether a look-ahead may stand here. */
  atVeryStart: boolean;
  choice(flags: Flags): Node;
}

const FLAG: Readonly<Record<string, Partial<Flags>>> = {
  i: { fold: true },
  m: { lines: true },
  s: { newline: true },
  a: { ascii: true },
  u: { ascii: false },
};

/** The letters of `(?i)` at the very start of a pattern; undefined, and nothing read, when there is none. */
export function readGlobalFlags(cursor: Cursor): string | undefined {
  const start = cursor.at;
  if (!cursor.take('(?')) return undefined;
  const letters = cursor.takeWhile(/^[a-zA-Z]$/);
  if (letters !== '' && cursor.take(')')) return letters;
  cursor.rewind(start);
  return undefined;
}

/** `(?#...)` is dropped. */
export function skipComment(cursor: Cursor): boolean {
  if (!cursor.take('(?#')) return false;
  while (cursor.next() !== ')');
  return true;
}

/** Reads a group up to and with its closing parenthesis; the cursor stands after the opening one. */
export function readGroup(reader: Reading, flags: Flags): Node {
  const { cursor } = reader;
  if (!cursor.take('?')) return body(reader, flags);
  if (cursor.take(':')) return body(reader, flags);
  if (cursor.take('P')) return named(reader, flags);
  if (cursor.take('=')) return lookAhead(reader, flags, false);
  if (cursor.take('!')) return lookAhead(reader, flags, true);
  if (cursor.peek() === '<') {
    const behind = cursor.peek(1) === '=' || cursor.peek(1) === '!';
    throw new PatternError(
      behind
        ? 'a look-behind cannot be tested in linear time'
        : "(?<name>...) is not Python's syntax; write (?P<name>...)",
    );
  }
  if (cursor.take('>')) throw new PatternError('atomic groups cannot be tested in linear time');
  if (cursor.take('(')) throw new PatternError('conditional groups cannot be tested in linear time');
  return body(reader, scopedFlags(cursor, flags));
}

function body(reader: Reading, flags: Flags): Node {
  reader.atVeryStart = false;
  const node = reader.choice(flags);
  if (!reader.cursor.take(')')) throw new PatternError('a ( is never closed');
  return { kind: 'sequence', items: [node] };
}

function named(reader: Reading, flags: Flags): Node {
  const { cursor } = reader;
  if (cursor.take('=')) throw new PatternError('the back-reference (?P=...) cannot be tested in linear time');
  if (!cursor.take('<')) throw new PatternError('(?P must be followed by <name>');
  const name = cursor.takeWhile(/^[^>]$/u);
  if (!cursor.take('>') || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw new PatternError('a group has no valid name');
  if (reader.names.has(name)) throw new PatternError(`two groups have the name ${name}`);
  reader.names.add(name);
  return body(reader, flags);
}

function lookAhead(reader: Reading, flags: Flags, negated: boolean): Node {
  if (!reader.atVeryStart) throw new PatternError('a look-ahead is possible only at the very start of a pattern');
  const item = body(reader, flags);
  reader.atVeryStart = true;
  return { kind: 'look', negated, item };
}

function scopedFlags(cursor: Cursor, flags: Flags): Flags {
  const on = cursor.takeWhile(/^[a-zA-Z]$/);
  const off = cursor.take('-') ? cursor.takeWhile(/^[a-zA-Z]$/) : undefined;
  if (cursor.peek() === ')')
    throw new PatternError('flags such as (?i) are possible only at the start of the expression');
  if (!cursor.take(':') || (on === '' && off === undefined) || off === '')
    throw new PatternError('an unknown form of (?...)');
  if (off !== undefined && /[^ims]/.test(off)) throw new PatternError(`the flags -${off} cannot be switched off`);
  if ([...(off ?? '')].some((letter) => on.includes(letter)))
    throw new PatternError(`a flag of (?${on}-${off ?? ''}:...) is switched on and off`);
  return withoutFlags(withFlags(flags, on), off ?? '');
}

/** @param letters All that are switched on in one place. @throws {PatternError} */
export function withFlags(flags: Flags, letters: string): Flags {
  if (letters.includes('a') && letters.includes('u')) throw new PatternError('the flags a and u exclude each other');
  let out = flags;
  for (const letter of letters) {
    const change = FLAG[letter];
    if (letter === 'x') throw new PatternError('the verbose flag (?x) is not supported');
    if (change === undefined) throw new PatternError(`the flag ${letter} is not one for text`);
    out = { ...out, ...change };
  }
  return out;
}

function withoutFlags(flags: Flags, letters: string): Flags {
  return {
    ...flags,
    fold: flags.fold && !letters.includes('i'),
    lines: flags.lines && !letters.includes('m'),
    newline: flags.newline && !letters.includes('s'),
  };
}
