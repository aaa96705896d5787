/**
 * Upper and lower case: with `(?i)` the engine knows all of Unicode's, as Python does, but for the letters that Python takes for an `i`;
 * with `(?ia)` Python knows ASCII's only. Both are said in full here.
 */
import type { Node, SetItem } from './pattern-syntax.js';

interface Folding {
  readonly fold: boolean;
  readonly ascii: boolean;
}

const UPPER = { from: 0x41, to: 0x5a };
const LOWER = { from: 0x61, to: 0x7a };
const APART = LOWER.from - UPPER.from;

/** `I`, `i`, `İ` and `ı`, which Python takes for one another. */
const DOTTED_OR_NOT: readonly SetItem[] = [0x49, 0x69, 0x130, 0x131].map((code) => one(code));

export function charNode(code: number, flags: Folding): Node {
  const items = flags.fold ? allCases([one(code)], flags) : [];
  return items.length > 1
    ? { kind: 'set', negated: false, items, fold: false }
    : { kind: 'char', code, fold: flags.fold && !flags.ascii };
}

export function setNode(negated: boolean, items: readonly SetItem[], flags: Folding): Node {
  return flags.fold
    ? { kind: 'set', negated, items: allCases(items, flags), fold: !flags.ascii }
    : { kind: 'set', negated, items, fold: false };
}

/** With all of Unicode's cases, only what the engine does not add by itself. */
function allCases(items: readonly SetItem[], { ascii }: Folding): readonly SetItem[] {
  if (ascii) return bothCases(items);
  return items.some(holdsI) ? [...items, ...DOTTED_OR_NOT] : items;
}

function holdsI(item: SetItem): boolean {
  return DOTTED_OR_NOT.some(
    (letter) => item.kind === 'range' && letter.kind === 'range' && item.from <= letter.from && letter.from <= item.to,
  );
}

function one(code: number): SetItem {
  return { kind: 'range', from: code, to: code };
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
