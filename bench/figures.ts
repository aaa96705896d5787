/** What a bench measures, and the arithmetic that all of them share. */

/** One measured figure; `raw` is the same on the bare broker (or of bare Node) in the same run. */
export interface Measured {
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly raw?: number;
}

/** A figure as it is printed and written: `ratio` is `value` to `raw`, both null where nothing bare can be compared. */
export interface Figure {
  readonly bench: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
  readonly raw: number | null;
  readonly ratio: number | null;
}

export function figureOf(bench: string, { metric, unit, value, raw }: Measured): Figure {
  if (raw === undefined) return { bench, metric, unit, value: rounded(value), raw: null, ratio: null };
  return { bench, metric, unit, value: rounded(value), raw: rounded(raw), ratio: rounded(value / raw) };
}

/**
 * The smallest sample that at least this part of all samples does not exceed.
 *
 * @param part 0 to 1.
 * @throws {RangeError} Without samples.
 */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
  if (found === undefined) throw new RangeError('nothing was measured');
  return found;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** Milliseconds of half of all calls and of nearly all, beside those on the bare broker. @param what Before the figures' names. */
export function usualAndSlow(what: string, ours: readonly number[], raw?: readonly number[]): readonly Measured[] {
  const at = (metric: string, part: number): Measured => ({
    metric: `${what}${metric}`,
    unit: 'ms',
    value: percentile(ours, part),
    ...(raw !== undefined && { raw: percentile(raw, part) }),
  });
  return [at('p50', 0.5), at('p99', 0.99)];
}

/** @throws {RangeError} Without samples. */
export function mean(samples: readonly number[]): number {
  if (samples.length === 0) throw new RangeError('nothing was measured');
  return samples.reduce((sum, one) => sum + one, 0) / samples.length;
}

/** Three significant digits are more than a shared machine repeats. */
function rounded(value: number): number {
  return Number(value.toPrecision(Math.abs(value) >= 1000 ? 4 : 3));
}
