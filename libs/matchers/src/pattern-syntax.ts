/**
 * The shape of a pattern after reading: what both the fast path and the engine's text are made from.
 *
 * Spec: spec/acl.md#patterns.
 */

export type PyClass = 'd' | 'w' | 's';

/** One member of a `[...]` set, or a class escape standing alone. */
export type SetItem =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'class'; readonly name: PyClass; readonly negated: boolean; readonly ascii: boolean };

export type Node =
  | { readonly kind: 'char'; readonly code: number; readonly fold: boolean }
  | { readonly kind: 'any'; readonly newline: boolean }
  | { readonly kind: 'set'; readonly negated: boolean; readonly items: readonly SetItem[]; readonly fold: boolean }
  | { readonly kind: 'sequence'; readonly items: readonly Node[] }
  | { readonly kind: 'choice'; readonly items: readonly Node[] }
  | { readonly kind: 'repeat'; readonly item: Node; readonly min: number; readonly max: number }
  | { readonly kind: 'at'; readonly at: 'start' | 'end' | 'line-start' | 'line-end' | 'text-end' }
  /** `\b`, or `\B` when negated. */
  | { readonly kind: 'boundary'; readonly negated: boolean; readonly ascii: boolean }
  | { readonly kind: 'look'; readonly negated: boolean; readonly item: Node };

export interface PatternProblem {
  readonly pattern: string;
  readonly reason: string;
}

/** Thrown inside the reader only; `compilePattern` turns it into a value. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Characters; what they may cost is bounded in pattern-limits.ts. */
export const MAX_PATTERN = 8192;
export const MAX_COUNT = 1000;
