/** `--batch`, `--subset` and `--batch-safe-limit`: who is asked, and in which groups. */
import { type BatchSize, batchSizeOf } from '@natrium/jobs';
import { sample } from '@natrium/model';
import type { CommandDefaults } from '../common/command-defaults.js';
import { type Options, UsageError } from '../common/options.js';

export interface BatchPlan {
  readonly size: BatchSize;
  /** Only when at least so many matched; otherwise all at once. More than 1 where nobody asked for a batch as such. */
  readonly from: number;
  /** Seconds between two batches. */
  readonly wait: number;
  /** Stop after the first batch in which something failed or is missing. */
  readonly failhard: boolean;
}

/** What the command line says of batches; the configuration says the rest. */
export interface AskedBatch extends Pick<BatchPlan, 'wait' | 'failhard'> {
  /** In batches, however many match. */
  readonly size: BatchSize | undefined;
  readonly safeLimit: number | undefined;
  readonly safeSize: BatchSize | undefined;
}

const DAY = 86_400;
const MANY = 1_000_000;

/** @throws {UsageError} For a size that makes no sense, in Salt's words. */
export function askedBatch(options: Options): AskedBatch {
  return {
    size: sizeOf(options, 'batch', '--batch'),
    safeLimit: options.integer('batchSafeLimit', { max: MANY }),
    safeSize: sizeOf(options, 'batchSafeSize', '--batch-safe-size'),
    wait: options.float('batchWait', { min: 0, max: DAY }) ?? 0,
    failhard: options.flag('failhard'),
  };
}

/** @returns undefined when all are asked at once, however many match. A limit below 2 is none, as for Salt. */
export function batchPlan(
  { size, safeLimit, safeSize, wait, failhard }: AskedBatch,
  defaults: Pick<CommandDefaults, 'batchSafeLimit' | 'batchSafeSize'>,
): BatchPlan | undefined {
  if (size !== undefined) return { size, from: 1, wait, failhard };
  const from = safeLimit ?? defaults.batchSafeLimit;
  return from > 1 ? { size: safeSize ?? sizeIn(defaults.batchSafeSize), from, wait, failhard } : undefined;
}

/** An empty size, as of a shell's unset variable, is none. */
function sizeOf(options: Options, name: string, flag: string): BatchSize | undefined {
  const text = options.text(name) ?? '';
  return text === '' ? undefined : sizeIn(text, flag);
}

function sizeIn(text: string, from = 'batch_safe_size'): BatchSize {
  const size = batchSizeOf(text);
  if (size !== undefined) return size;
  throw new UsageError(`option ${from}: invalid batch data: '${text}'; it must be in the form of 10%, %10 or 3`);
}

/** @param random Numbers from 0 up to 1. */
export function subsetOf(ids: readonly string[], count: number, random: () => number): readonly string[] {
  return sample(ids, count, random).sort();
}
