/** What a gateway tells of itself on its door for metrics: docs/operations.md#monitor. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RoleLink, ServiceMetrics } from '@natrium/edge';
import type { JournaledBus } from '@natrium/events';
import type { ActiveJobs, TimerPort } from '@natrium/flow';
import type { JobCache } from './job-cache.js';

const BROKER_MS = 1000;

interface Looked {
  readonly jobs: ActiveJobs;
  readonly cache: Pick<JobCache, 'unstored'>;
  readonly events: Pick<JournaledBus, 'lag' | 'behind'>;
  readonly now: () => number;
}

/** @returns Hears the end of each job. */
export function jobSeconds(
  metrics: ServiceMetrics | undefined,
  { clock }: Pick<RoleLink, 'clock'>,
): NonNullable<TimerPort['ended']> {
  const took = metrics?.histogram(
    'natrium_job_seconds',
    'From when a job was asked for to its end for its caller, by whether all had returned',
    'returned',
  );
  return (record, isWhole) => took?.(isWhole ? 'all' : 'some', Math.max(0, clock.now() - record.started) / 1000);
}

export function tellFigures(metrics: ServiceMetrics, { jobs, cache, events, now }: Looked): void {
  const { counts } = jobs;
  metrics.total('natrium_jobs_total', 'Jobs that were begun or gone on with here', () => counts.jobs);
  metrics.total(
    'natrium_returns_total',
    'Returns of jobs that were gathered here, also those that were stored when one was taken over',
    () => counts.returns,
  );
  metrics.totals(
    'natrium_returns_missing_total',
    'Minions that had not returned when their job ended for its caller, by why',
    'why',
    () => counts.missing,
  );
  metrics.gauge('natrium_queue_depth', 'What waits here, by queue', 'queue', () => [
    ['jobs', jobs.all().length],
    ['returns', cache.unstored],
    ['events', events.lag.unstored],
  ]);
  metrics.figure('natrium_event_lag_seconds', 'Age of the oldest event that was fired here and is not stored', () => {
    const { since } = events.lag;
    return since === undefined ? 0 : Math.max(0, now() - Date.parse(`${since}Z`)) / 1000;
  });
  metrics.figure('natrium_event_lag_batches', 'Batches of the journal that this gateway has not read', () =>
    orUnknown(events.behind()),
  );
}

/** The broker is asked; whoever asks this gateway does not wait for a broker that is away. */
function orUnknown(figure: Promise<number>): Promise<number> {
  const unknown = pause(BROKER_MS, Number.NaN, { ref: false });
  return Promise.race([figure.catch(() => Number.NaN), unknown]);
}
