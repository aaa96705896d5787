/**
 * Writes a pattern in RE2's syntax, meaning for meaning: `\d`, `\w`, `\s` as Python's text patterns know them, `$` also before a
 * final newline, every other character by its number, so that nothing is special by accident.
 */
import { type Node, PatternError, type PyClass, type SetItem } from './pattern-syntax.js';

const CLASS_BODY: Readonly<Record<PyClass, string>> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  s: '\\t-\\r\\x{1c}-\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}',
};
const ASCII_BODY: Readonly<Record<PyClass, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t-\\r\\x{20}' };
/** The complements that RE2 can put inside of another set. */
const COMPLEMENT: Readonly<Record<'d' | 's', string>> = {
  d: '\\P{Nd}',
  s:
    '\\x{0}-\\x{8}\\x{e}-\\x{1b}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
    '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}',
};

/**
 * Writes `node` for the engine.
 *
 * @param tail Whether nothing can follow it: only there may `$` take the final newline with it.
 * @param whole Whether the text must end where the pattern does.
 */
export function writePattern(node: Node, tail: boolean, whole: boolean): string {
  switch (node.kind) {
    case 'char':
      return node.fold ? `(?i:${char(node.code)})` : char(node.code);
    case 'any':
      return node.newline ? '(?s:.)' : '[^\\n]';
    case 'set':
      return node.fold ? `(?i:${set(node.negated, node.items)})` : set(node.negated, node.items);
    case 'sequence':
      return node.items.map((item, index) => writePattern(item, tail && restIsEnd(node.items, index), whole)).join('');
    case 'choice':
      return `(?:${node.items.map((item) => writePattern(item, tail, whole)).join('|')})`;
    case 'repeat':
      return `(?:${writePattern(node.item, tail && node.max === 1, whole)})${counts(node.min, node.max)}`;
    case 'at':
      return anchor(node.at, tail, whole);
    case 'look':
      throw new PatternError('a look-ahead is possible only at the very start of a pattern');
  }
}

function restIsEnd(items: readonly Node[], index: number): boolean {
  return items.slice(index + 1).every((item) => item.kind === 'at' && item.at === 'end');
}

function anchor(at: Extract<Node, { kind: 'at' }>['at'], tail: boolean, whole: boolean): string {
  if (at === 'start') return '\\A';
  if (at === 'text-end') return '\\z';
  if (at === 'word') return '\\b';
  if (at === 'not-word') return '\\B';
  if (at === 'line-start') return '(?m:^)';
  if (at === 'line-end') return '(?m:$)';
  if (!tail) throw new PatternError('nothing can follow a $');
  return whole ? '\\z' : '(?:\\n?\\z)';
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

function set(negated: boolean, items: readonly SetItem[]): string {
  const notWord = items.some((item) => item.kind === 'class' && item.name === 'w' && item.negated);
  if (!notWord) return `[${negated ? '^' : ''}${items.map(member).join('')}]`;
  if (negated) return wordWithout(items);
  const others = items.filter((item) => !(item.kind === 'class' && item.name === 'w' && item.negated));
  const outside = `[^${CLASS_BODY.w}]`;
  return others.length === 0 ? outside : `(?:[${others.map(member).join('')}]|${outside})`;
}

/** `[^\W_]` and the like: word characters without some; only the usual idioms can be said in RE2. */
function wordWithout(items: readonly SetItem[]): string {
  const rest = items.filter((item) => !(item.kind === 'class' && item.name === 'w'));
  const noLine = rest.some((item) => item.kind === 'range' && item.from === 0x5f && item.to === 0x5f);
  const noDigit = rest.some((item) => item.kind === 'class' && item.name === 'd' && !item.negated);
  if (rest.length !== Number(noLine) + Number(noDigit))
    throw new PatternError('[^\\W...] is possible with _ and \\d only');
  return `[\\p{L}${noDigit ? '\\p{Nl}\\p{No}' : '\\p{N}'}${noLine ? '' : '_'}]`;
}

function member(item: SetItem): string {
  if (item.kind === 'range') return item.from === item.to ? char(item.from) : `${char(item.from)}-${char(item.to)}`;
  if (!item.negated) return item.ascii ? ASCII_BODY[item.name] : CLASS_BODY[item.name];
  if (item.ascii || item.name === 'w')
    throw new PatternError(`\\${item.name.toUpperCase()} is not possible in a set here`);
  return COMPLEMENT[item.name];
}
