/** Reads a `[...]` set as Python does: a first `]` is literal, ranges must rise and not end in a class. */
import type { Cursor } from './pattern-cursor.js';
import { readEscape } from './pattern-escape.js';
import { setNode } from './pattern-fold.js';
import { type Node, PatternError, type SetItem } from './pattern-syntax.js';

/** The cursor stands after the opening bracket. */
export function readSet(cursor: Cursor, flags: { readonly fold: boolean; readonly ascii: boolean }): Node {
  const negated = cursor.take('^');
  const items: SetItem[] = [];
  for (let first = true; first || cursor.peek() !== ']'; first = false) {
    if (cursor.done) throw new PatternError('a [ is never closed');
    items.push(readMember(cursor, flags.ascii));
  }
  cursor.next();
  return setNode(negated, items, flags);
}

function readMember(cursor: Cursor, ascii: boolean): SetItem {
  const from = readOne(cursor, ascii);
  if (cursor.peek() !== '-' || cursor.peek(1) === ']') return from;
  if (cursor.peek(1) === '') throw new PatternError('a [ is never closed');
  cursor.next();
  const to = readOne(cursor, ascii);
  if (from.kind !== 'range' || to.kind !== 'range')
    throw new PatternError('a range in [...] ends in a class such as \\d');
  if (from.from > to.from) throw new PatternError('a range in [...] runs backwards');
  return { kind: 'range', from: from.from, to: to.from };
}

function readOne(cursor: Cursor, ascii: boolean): SetItem {
  const char = cursor.next();
  if (char !== '\\') return single(char.codePointAt(0) ?? 0);
  const escaped = readEscape(cursor, true, ascii);
  if (escaped.kind === 'class') return escaped.item;
  if (escaped.kind === 'char') return single(escaped.code);
  throw new PatternError('an anchor inside of [...]');
}

function single(code: number): SetItem {
  return { kind: 'range', from: code, to: code };
}
