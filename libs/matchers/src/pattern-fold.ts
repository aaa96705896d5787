/**
 * Upper and lower case: with `(?i)` the engine knows all of Unicode's, as Python does; with `(?ia)` Python knows ASCII's only, which
 * is said in full here.
 */
import type { Node, SetItem } from './pattern-syntax.js';

interface Folding {
  readonly fold: boolean;
  readonly ascii: boolean;
}

const UPPER = { from: 0x41, to: 0x5a };
const LOWER = { from: 0x61, to: 0x7a };
const APART = LOWER.from - UPPER.from;

export function charNode(code: number, { fold, ascii }: Folding): Node {
  const items = fold && ascii ? bothCases([{ kind: 'range', from: code, to: code }]) : [];
  return items.length > 1
    ? { kind: 'set', negated: false, items, fold: false }
    : { kind: 'char', code, fold: fold && !ascii };
}

export function setNode(negated: boolean, items: readonly SetItem[], { fold, ascii }: Folding): Node {
  return fold && ascii
    ? { kind: 'set', negated, items: bothCases(items), fold: false }
    : { kind: 'set', negated, items, fold };
}

function bothCases(items: readonly SetItem[]): readonly SetItem[] {
  return items.flatMap((item) => [item, ...shifted(item, UPPER, APART), ...shifted(item, LOWER, -APART)]);
}

/** The part of a range that lies in `letters`, moved to their other case. */
function shifted(item: SetItem, letters: typeof UPPER, by: number): readonly SetItem[] {
  if (item.kind !== 'range') return [];
  const [from, to] = [Math.max(item.from, letters.from), Math.min(item.to, letters.to)];
  return from > to ? [] : [{ kind: 'range', from: from + by, to: to + by }];
}
