/**
 * Writes a pattern in RE2's syntax, meaning for meaning: `\d`, `\w`, `\s` as Python's text patterns know them, `$` also before a
 * final newline, every other character by its number, so that nothing is special by accident.
 */
import { boundaryMarks } from './pattern-boundary.js';
import { type Node, PatternError, type PyClass, type SetItem } from './pattern-syntax.js';

const CLASS_BODY: Readonly<Record<PyClass, string>> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  s: '\\t-\\r\\x{1c}-\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}',
};
const ASCII_BODY: Readonly<Record<PyClass, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t-\\r\\x{20}' };
const ASCII_COMPLEMENT: Readonly<Record<PyClass, string>> = {
  d: '\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}',
  w: '\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}',
  s: '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}',
};
const UNDERSCORE = 0x5f;
/** The complements that RE2 can put inside of another set. */
const COMPLEMENT: Readonly<Record<'d' | 's', string>> = {
  d: '\\P{Nd}',
  s:
    '\\x{0}-\\x{8}\\x{e}-\\x{1b}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
    '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}',
};

export interface WriteOptions {
  /** Whether the text must end where the pattern does. */
  readonly whole: boolean;
  /** What a `$` is that something may follow: it looks at the final newline and takes it not. */
  readonly innerEnd: '\\z' | '(?m:$)';
  /** Whether a mark stands before the text and behind each of its characters (pattern-boundary.ts). */
  readonly marked: boolean;
}

/**
 * Writes `node` for the engine.
 *
 * @param tail Whether nothing can follow it: only there may `$` take the final newline with it.
 */
export function writePattern(node: Node, tail: boolean, options: WriteOptions): string {
  const mark = options.marked ? '.' : '';
  switch (node.kind) {
    case 'char':
      return (node.fold ? `(?i:${char(node.code)})` : char(node.code)) + mark;
    case 'any':
      return (node.newline ? '(?s:.)' : '[^\\n]') + mark;
    case 'set':
      return (node.fold ? `(?i:${set(node.negated, node.items)})` : set(node.negated, node.items)) + mark;
    case 'sequence':
      return node.items
        .map((item, index) => writePattern(item, tail && restIsEnd(node.items, index), options))
        .join('');
    case 'choice':
      return `(?:${node.items.map((item) => writePattern(item, tail, options)).join('|')})`;
    case 'repeat':
      return `(?:${writePattern(node.item, tail && node.max === 1, options)})${counts(node.min, node.max)}`;
    case 'at':
      return anchor(node.at, tail, options);
    case 'boundary':
      return `(?<=${boundaryMarks(node)})`;
    case 'look':
      throw new PatternError('a look-ahead is possible only at the very start of a pattern');
  }
}

/** Whether something may follow a `$` of it. */
export function hasInnerEnd(node: Node, tail = true): boolean {
  if (node.kind === 'at') return node.at === 'end' && !tail;
  if (node.kind === 'sequence')
    return node.items.some((item, index) => hasInnerEnd(item, tail && restIsEnd(node.items, index)));
  if (node.kind === 'choice') return node.items.some((item) => hasInnerEnd(item, tail));
  if (node.kind === 'repeat') return hasInnerEnd(node.item, tail && node.max === 1);
  return node.kind === 'look' && hasInnerEnd(node.item);
}

function restIsEnd(items: readonly Node[], index: number): boolean {
  return items.findLastIndex((item) => item.kind !== 'at' || item.at !== 'end') <= index;
}

function anchor(at: Extract<Node, { kind: 'at' }>['at'], tail: boolean, options: WriteOptions): string {
  const { whole, innerEnd, marked } = options;
  if (at === 'start') return marked ? '(?<=\\A.)' : '\\A';
  if (at === 'text-end') return '\\z';
  if (at === 'line-start') return marked ? '(?<=(?:\\A|\\n).)' : '(?m:^)';
  if (at === 'line-end') return '(?m:$)';
  if (!tail) return innerEnd;
  if (whole) return '\\z';
  return marked ? '(?:(?:\\n.)?\\z)' : '(?:\\n?\\z)';
}

function counts(min: number, max: number): string {
  if (min === 0 && max === Infinity) return '*';
  if (min === 1 && max === Infinity) return '+';
  if (min === 0 && max === 1) return '?';
  return max === Infinity ? `{${String(min)},}` : `{${String(min)},${String(max)}}`;
}

function char(code: number): string {
  const text = String.fromCodePoint(code);
  return /^[A-Za-z0-9_]$/.test(text) ? text : `\\x{${code.toString(16)}}`;
}

/** RE2 has no complement of a union inside of a set; that of letters and digits is said beside it. */
function set(negated: boolean, items: readonly SetItem[]): string {
  const others = items.filter((item) => !isNotWord(item));
  const body = others.map(member).join('');
  if (others.length === items.length) return `[${negated ? '^' : ''}${body}]`;
  if (negated) return `(?:[^\\P{L}${body}]|[^\\P{N}${body}]${others.some(hasUnderscore) ? '' : '|_'})`;
  const outside = `[^${CLASS_BODY.w}]`;
  return others.length === 0 ? outside : `(?:[${body}]|${outside})`;
}

function isNotWord(item: SetItem): boolean {
  return item.kind === 'class' && item.name === 'w' && item.negated && !item.ascii;
}

/** Whether the character `_` is in it. */
function hasUnderscore(item: SetItem): boolean {
  if (item.kind === 'range') return item.from <= UNDERSCORE && UNDERSCORE <= item.to;
  return (item.name === 'w') !== item.negated;
}

function member(item: SetItem): string {
  if (item.kind === 'range') return item.from === item.to ? char(item.from) : `${char(item.from)}-${char(item.to)}`;
  if (!item.negated) return item.ascii ? ASCII_BODY[item.name] : CLASS_BODY[item.name];
  if (item.ascii) return ASCII_COMPLEMENT[item.name];
  if (item.name === 'w') throw new Error('it is written beside the set');
  return COMPLEMENT[item.name];
}
