/**
 * What a pattern may cost. The engine unrolls counts, so their product and their sum are bounded; and at each character of a text it
 * looks at all that could come next, so what stands at no fixed place is.
 */
import { MAX_COUNT, type Node, PatternError, type SetItem } from './pattern-syntax.js';

/** More repeats than this of something that can be empty cost the engine too much. */
const MAX_EMPTY_COUNT = 32;
const MAX_UNROLLED = 1500;
/** Characters that could be next anywhere in a text; a set is as many as it has brackets and members. */
const MAX_MOVABLE = 1024;
/** What the engine may have to put into tables before the first test, in members of sets: about as many microseconds. */
const MAX_MEMBERS = 50_000;
/** Of `\w`, `\d` and `\s`, which name hundreds of ranges of Unicode, or a few. */
const CLASS_MEMBERS = { w: 100, d: 10, s: 10 } as const;
/** Of a range without regard to case each character is looked at. */
const FOLDED_AT_ONCE = 40;
/** Of the tree that the engine makes; it takes 1000, with what is written around a pattern and in place of a part that is not in it. */
const MAX_HEIGHT = 980;
/** A character has a mark behind it where there are word boundaries (pattern-boundary.ts). */
const PARTS_OF_ONE = 2;
/** What takes no character, and is looked at beside one: an anchor, a boundary, a look-ahead. */
const BESIDE = 2;

interface Size {
  readonly work: number;
  readonly members: number;
  readonly unrolled: number;
}

/**
 * @param node The whole pattern.
 * @returns How much the engine may have to look at for each character of a text, how many members its sets have, and how many
 * characters there are when its counts are unrolled.
 * @throws {PatternError} When that is too much.
 */
export function checkSize(node: Node): Size {
  const moves = movable(node, false);
  if (moves > MAX_MOVABLE)
    throw new PatternError(
      `what has no fixed place in it (repeats, what is in or behind them, anchors) is more than ${String(MAX_MOVABLE)} characters`,
    );
  const size = { members: members(node), unrolled: unrolled(node) };
  if (size.members > MAX_MEMBERS) throw new PatternError('it has too many of \\w, or of wide ranges with (?i)');
  return { ...size, work: 1 + (hasCounts(node) ? Math.max(moves, size.unrolled) : moves) };
}

/** @throws {PatternError} When the counts of a pattern cost too much, or it is deeper than the engine goes. */
export function checkShape(node: Node): void {
  if (extent(node).height > MAX_HEIGHT) throw new PatternError('its groups are nested too deeply');
  if (copies(node) > MAX_COUNT) throw new PatternError(`counts inside of counts come to more than ${MAX_COUNT}`);
  if (hasCounts(node) && unrolled(node) > MAX_UNROLLED)
    throw new PatternError(`its counts come to more than ${MAX_UNROLLED} characters`);
  if (countsEmpty(node)) throw new PatternError('it counts repeats of something that can be empty');
}

/** Whether the engine has to unroll anything. */
function hasCounts(node: Node): boolean {
  return copies(node) > 1;
}

/** Whether a word boundary stands anywhere in it. */
export function hasBoundary(node: Node): boolean {
  return node.kind === 'boundary' || partsOf(node).some(hasBoundary);
}

/** How often the innermost part would be copied to unroll the counts. */
function copies(node: Node): number {
  return ownCount(node) * Math.max(1, ...partsOf(node).map(copies));
}

function unrolled(node: Node): number {
  return (
    ownCount(node) *
    Math.max(
      1,
      partsOf(node).reduce((sum, part) => sum + unrolled(part), 0),
    )
  );
}

function members(node: Node): number {
  if (node.kind === 'set') return node.items.reduce((sum, item) => sum + membersOf(item, node.fold), 0);
  return partsOf(node).reduce((sum, part) => sum + members(part), 0);
}

function membersOf(item: SetItem, fold: boolean): number {
  if (item.kind === 'class') return item.ascii ? 1 : CLASS_MEMBERS[item.name];
  return fold ? 1 + Math.floor((item.to - item.from) / FOLDED_AT_ONCE) : 1;
}

/** An alternation of plain words costs no more than its length: each of its characters has one place where it could be. */
function movable(node: Node, moves: boolean): number {
  switch (node.kind) {
    case 'repeat':
      return movable(node.item, true);
    case 'look':
      return BESIDE + movable(node.item, true);
    case 'choice':
      return node.items.reduce((sum, item) => sum + movable(item, moves), 0);
    case 'sequence':
      return movableOf(node.items, moves);
    case 'set':
      return moves ? node.items.length + 2 : 0;
    case 'at':
    case 'boundary':
      return BESIDE;
    default:
      return moves ? 1 : 0;
  }
}

function movableOf(items: readonly Node[], moves: boolean): number {
  let behind = moves;
  let sum = 0;
  for (const item of items) {
    sum += movable(item, behind);
    behind ||= !hasFixedLength(item);
  }
  return sum;
}

function hasFixedLength(node: Node): boolean {
  return node.kind !== 'repeat' && node.kind !== 'choice' && partsOf(node).every(hasFixedLength);
}

interface Extent {
  readonly height: number;
  /** Of its longest branch, in parts. */
  readonly length: number;
}

/**
 * How high the engine's tree can become. It writes what branches begin with once, and the branches that are left below that: twice as
 * high by each part that one shares with another.
 */
function extent(node: Node): Extent {
  const parts = partsOf(node).map(extent);
  const inner = Math.max(0, ...parts.map(({ height }) => height));
  const isMore = parts.length === 1 ? 0 : 1;
  if (node.kind === 'sequence')
    return { height: inner + isMore, length: parts.reduce((sum, { length }) => sum + length, 0) };
  if (node.kind !== 'choice') return { height: 1 + inner, length: PARTS_OF_ONE };
  const length = Math.max(0, ...parts.map((part) => part.length));
  return { height: 1 + inner + 2 * Math.min(length, parts.length - 1), length };
}

function countsEmpty(node: Node): boolean {
  return (
    (node.kind === 'repeat' && ownCount(node) > MAX_EMPTY_COUNT && canBeEmpty(node.item)) ||
    partsOf(node).some(countsEmpty)
  );
}

function ownCount(node: Node): number {
  if (node.kind !== 'repeat') return 1;
  return Math.max(1, node.max === Infinity ? node.min : node.max);
}

function canBeEmpty(node: Node): boolean {
  if (node.kind === 'at' || node.kind === 'boundary' || node.kind === 'look') return true;
  if (node.kind === 'repeat') return node.min === 0 || canBeEmpty(node.item);
  if (node.kind === 'sequence') return node.items.every(canBeEmpty);
  return node.kind === 'choice' && node.items.some(canBeEmpty);
}

function partsOf(node: Node): readonly Node[] {
  if (node.kind === 'sequence' || node.kind === 'choice') return node.items;
  return node.kind === 'repeat' || node.kind === 'look' ? [node.item] : [];
}
