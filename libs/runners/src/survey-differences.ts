/** How what the other pools of a survey returned differs from what the first one did. */
import { setImmediate as turn } from 'node:timers/promises';
import type { ValueMap } from '@natrium/model';
import { ExecutionError } from '@natrium/modules';
import { diffLines } from './line-diff.js';

/** Minions that returned the same. */
export interface Pool {
  readonly pool: readonly string[];
  readonly result: string;
}

/** Of the pools and their differences together: one answer carries no more. */
const MOST_BYTES = 7 << 20;
const TOO_MUCH = `what the pools returned and how they differ is more than ${String(MOST_BYTES >> 20)} MiB: survey.hash tells the pools alone, and fewer minions differ less`;

/**
 * Each comparison may take some ten milliseconds: between two of them others have their turn. Each tells again what the first pool
 * returned, as far as it differs, and there may be as many pools as minions.
 *
 * @throws {ExecutionError} When it is more than one answer carries.
 */
export async function withDifferences(pools: readonly Pool[], signal: AbortSignal): Promise<readonly ValueMap[]> {
  const [first, ...others] = pools;
  if (first === undefined) return [];
  const shown: ValueMap[] = [{ ...first }];
  let left = pools.reduce((rest, { result }) => rest - Buffer.byteLength(result), MOST_BYTES);
  for (const pool of others) {
    await turn();
    signal.throwIfAborted();
    const diff = differences(first, pool);
    left -= Buffer.byteLength(diff);
    if (left < 0) throw new ExecutionError(TOO_MUCH);
    shown.push({ ...pool, diff });
  }
  return shown;
}

function differences(first: Pool, other: Pool): string {
  const [from = '', to = ''] = [first.pool[0], other.pool[0]];
  return [`--- ${from}`, `+++ ${to}`, ...diffLines(linesOf(first.result), linesOf(other.result))].join('\n');
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}
