/** Carries out a batch: one signed request, whose grant each group asks for anew, so that a changed policy binds the next. */
import { batchesOf } from '@natrium/jobs';
import { interrupted, INTERRUPTED, orInterrupt } from '../common/interrupt.js';
import type { JobAsk } from '../ports.js';
import type { BatchPlan } from './batch.js';
import { followJob, type FollowParts } from './follow.js';

/** Who was found: `minions` in batches, `unknown` (listed, but nobody's id) with the first. */
export interface Matched {
  readonly minions: readonly string[];
  readonly unknown: readonly string[];
}

export async function runBatch(
  ask: JobAsk,
  { minions, unknown }: Matched,
  plan: BatchPlan,
  parts: FollowParts,
): Promise<number> {
  const { report, io } = parts;
  const [first = [], ...rest] = batchesOf(minions, plan.size);
  const batches = [[...first, ...unknown], ...rest];
  const next = parts.link.inBatches(ask);
  if (plan.from > 1) report.switched();
  for (const [index, ids] of batches.entries()) {
    report.batch(ids);
    const early = await followJob(next(ids), parts);
    if (early !== undefined) return cutShort(early, batches.slice(index + 1), parts);
    if (index + 1 === batches.length) break;
    if (plan.failhard && report.hasFailures) return stopped(report.finish(), batches.slice(index + 1), parts);
    if (plan.wait > 0 && (await orInterrupt(io.wait(plan.wait * 1000), io)) === INTERRUPTED)
      return cutShort(interrupted(io), batches.slice(index + 1), parts);
  }
  return report.finish();
}

export function listAsk({ delimiter: _, ...ask }: JobAsk, ids: readonly string[]): JobAsk {
  return { ...ask, tgt: ids, tgtType: 'list' };
}

function cutShort(exit: number, left: readonly (readonly string[])[], parts: FollowParts): number {
  parts.report.showGathered();
  return stopped(exit, left, parts);
}

/** Who was not asked is said: a batch that ends early must not look like one that is done. */
function stopped(exit: number, left: readonly (readonly string[])[], { io }: FollowParts): number {
  if (left.length > 0) io.err(`The batch stopped here. Not asked: ${left.flat().join(', ')}\n`);
  return exit;
}
