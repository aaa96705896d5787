/** What a runner-service tells of itself on its door for metrics: docs/operations.md#monitor. */
import type { ServiceMetrics } from '@natrium/edge';
import { type Runs, RUN_OUTCOMES } from './runs.js';

const REACTED = ['ran', 'refused', 'left_out'] as const;

export function tellFigures(metrics: ServiceMetrics, runs: Pick<Runs, 'size' | 'counts'>): void {
  metrics.gauge('natrium_queue_depth', 'What is under way here, by queue', 'queue', () => [['runs', runs.size]]);
  metrics.totals(
    'natrium_runs_total',
    'Runs that were taken here and have ended, by outcome',
    'outcome',
    RUN_OUTCOMES,
    () => runs.counts,
  );
}

/** @returns Hears what has become of each reaction. */
export function reactionFigures(metrics: ServiceMetrics | undefined): (outcome: (typeof REACTED)[number]) => void {
  const count = metrics?.counter('natrium_reactions_total', 'Reactions to events, by outcome', 'outcome', REACTED);
  return (outcome) => count?.(outcome, 1);
}
