/**
 * `--batch`, `--subset` and `--batch-safe-limit`: who is asked, and in which groups.
 *
 * Diverges: a batch ends before the next begins; Salt starts another minion as soon as one has returned.
 * See compat/divergences.md.
 */
import { sample } from '@natrium/model';
import { type Options, UsageError } from '../common/options.js';

/** How many at a time: a number, or a share of those that matched. */
export type BatchSize = { readonly count: number } | { readonly percent: number };

export interface BatchPlan {
  readonly size: BatchSize;
  /** Only when at least so many matched; otherwise all at once. */
  readonly from: number;
  /** Seconds between two batches. */
  readonly wait: number;
  /** Stop after the first batch in which something failed or is missing. */
  readonly failhard: boolean;
}

const DAY = 86_400;
const MANY = 1_000_000;
const SAFE_SIZE = '8';

/** @throws {UsageError} For a size that makes no sense, in Salt's words. */
export function batchOf(options: Options): BatchPlan | undefined {
  const asked = options.text('batch');
  const limit = options.integer('batchSafeLimit', { min: 0, max: MANY }) ?? 0;
  const size = asked ?? (limit > 1 ? (options.text('batchSafeSize') ?? SAFE_SIZE) : undefined);
  if (size === undefined) return undefined;
  return {
    size: batchSize(size),
    from: asked === undefined ? limit : 1,
    wait: options.float('batchWait', { min: 0, max: DAY }) ?? 0,
    failhard: options.flag('failhard'),
  };
}

function batchSize(text: string): BatchSize {
  const [, before = '', digits = '', after = ''] = /^(%?)(\d{1,7}(?:\.\d{1,6})?)(%?)$/.exec(text.trim()) ?? [];
  const value = Number(digits);
  if (value > 0 && before !== after) return { percent: value };
  if (value > 0 && before === '' && Number.isInteger(value)) return { count: value };
  throw new UsageError(`option --batch: invalid batch data: '${text}'; it must be in the form of 10%, %10 or 3`);
}

/** A share is rounded down, but never to nobody. */
export function batchesOf(ids: readonly string[], size: BatchSize): readonly (readonly string[])[] {
  const step = 'count' in size ? size.count : Math.max(1, Math.floor((ids.length * size.percent) / 100));
  const starts = Array.from({ length: Math.ceil(ids.length / step) }, (_, index) => index * step);
  return starts.map((start) => ids.slice(start, start + step));
}

/** @param random Numbers from 0 up to 1. */
export function subsetOf(ids: readonly string[], count: number, random: () => number): readonly string[] {
  return sample(ids, count, random).sort();
}
