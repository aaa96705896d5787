/**
 * A batch: how many minions are asked at a time, and whether one that returned has failed. Whoever runs it ends one batch before
 * it begins the next.
 *
 * Diverges: Salt starts another minion as soon as one has returned. See compat/divergences.md.
 */
import type { JobReturn } from '@natrium/model';

/** How many at a time: a number, or a share of those that matched. */
export type BatchSize = { readonly count: number } | { readonly percent: number };

/**
 * As Salt, with blanks beside the number.
 *
 * @returns undefined for what is neither `3` nor `10%` nor `%10`, and for nobody at a time.
 */
export function batchSizeOf(text: string): BatchSize | undefined {
  const trimmed = text.split('%').map((part) => part.trim());
  const [, before = '', digits = '', after = ''] = /^(%?)(\d{1,7}(?:\.\d{1,6})?)(%?)$/.exec(trimmed.join('%')) ?? [];
  const value = Number(digits);
  if (value > 0 && before !== after) return { percent: value };
  return value > 0 && before === '' && Number.isInteger(value) ? { count: value } : undefined;
}

/** A share is rounded down, but never to nobody. */
export function batchesOf(ids: readonly string[], size: BatchSize): readonly (readonly string[])[] {
  const step = 'count' in size ? size.count : Math.max(1, Math.floor((ids.length * size.percent) / 100));
  const starts = Array.from({ length: Math.ceil(ids.length / step) }, (_, index) => index * step);
  return starts.map((start) => ids.slice(start, start + step));
}

export function hasFailed({ retcode, success }: Pick<JobReturn, 'retcode' | 'success'>): boolean {
  return retcode !== 0 || !success;
}
