/** What a pattern may cost: the engine unrolls counts, so their product and their sum are bounded here. */
import { MAX_COUNT, type Node, PatternError } from './pattern-syntax.js';

/** More repeats than this of something that can be empty cost the engine too much. */
const MAX_EMPTY_COUNT = 32;
const MAX_UNROLLED = 1500;

/** @throws {PatternError} When the counts of a pattern cost too much. */
export function checkCounts(node: Node): void {
  if (copies(node) > MAX_COUNT) throw new PatternError(`counts inside of counts come to more than ${MAX_COUNT}`);
  if (unrolled(node) > MAX_UNROLLED) throw new PatternError(`its counts come to more than ${MAX_UNROLLED} characters`);
  if (countsEmpty(node)) throw new PatternError('it counts repeats of something that can be empty');
}

/** Whether the engine has to unroll anything: only then could it still refuse the pattern. */
export function hasCounts(node: Node): boolean {
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
