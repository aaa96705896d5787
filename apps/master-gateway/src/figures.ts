/** What a gateway tells of itself on its door for metrics: docs/operations.md#monitor. */
import type { RoleLink, ServiceMetrics } from '@natrium/edge';
import type { JournaledBus } from '@natrium/events';
import type { ActiveJobs, TimerPort } from '@natrium/flow';
import { ABSENT_WHYS, REFUSAL_CODES } from '@natrium/model';
import { LATE, within } from '@natrium/process';
import type { Answered } from './http/answered.js';
import { ROUTES } from './http/paths.js';
import type { JobCache } from './jobs/job-cache.js';

const BROKER_MS = 1000;
/** Seconds: a job may take most of a day; below 50 ms it waits for nothing. */
const JOBS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 1800, 3600, 7200, 14_400];

interface Looked {
  readonly jobs: ActiveJobs;
  readonly cache: Pick<JobCache, 'unstored' | 'unstoredMs'>;
  readonly events: {
    readonly feed: Pick<JournaledBus, 'lag' | 'behind'>;
    /** undefined: no gateway looks who is there. */
    readonly connected: (() => Promise<number>) | undefined;
  };
  readonly refusals: ReadonlyMap<string, number>;
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
    JOBS,
  );
  return (record, isWhole) => took?.(isWhole ? 'all' : 'some', Math.max(0, clock.now() - record.started) / 1000);
}

/** What is asked for most, and what something is wrong with. */
const CODES = ['200', '400', '401', '500', '503'];
/** An answer that lasts until the client leaves. */
const STREAM = '/events';

/** @param certificate Its path, where the API speaks TLS. @returns Hears of each answer of the HTTP API. */
export function httpFigures(metrics: ServiceMetrics | undefined, certificate?: string): (answered: Answered) => void {
  if (metrics === undefined) return () => undefined;
  if (certificate !== undefined) metrics.certificate('http', certificate);
  const count = metrics.pairs(
    'natrium_http_requests_total',
    'Requests of the HTTP API that were answered, by route and status',
    ['route', 'code'],
    ROUTES.flatMap((route) => CODES.map((code) => [route, code] as const)),
  );
  const took = metrics.histogram(
    'natrium_http_request_seconds',
    'From a request of the HTTP API to the end of its answer, by route',
    'route',
  );
  return ({ route, code, seconds }) => {
    count(route, code);
    if (route !== STREAM) took(route, seconds);
  };
}

export function tellFigures(
  metrics: ServiceMetrics,
  { jobs, cache, events: { feed, connected }, refusals, now }: Looked,
): void {
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
    ABSENT_WHYS,
    () => counts.missing,
  );
  metrics.totals(
    'natrium_refusals_total',
    'Refusals that callers heard of this gateway, by code',
    'code',
    REFUSAL_CODES,
    () => refusals,
  );
  if (connected !== undefined)
    metrics.figure('natrium_minions_connected', 'Minions that were connected at the last look of any gateway', () =>
      orUnknown(connected()),
    );
  metrics.gauge('natrium_queue_depth', 'What waits here, by queue', 'queue', () => [
    ['jobs', jobs.all().length],
    ['returns', cache.unstored],
    ['events', feed.lag.unstored],
  ]);
  metrics.gauge(
    'natrium_queue_age_seconds',
    'For how long the oldest has waited to be stored, by queue',
    'queue',
    () => [
      ['returns', cache.unstoredMs / 1000],
      ['events', secondsSince(feed.lag.since, now())],
    ],
  );
  metrics.figure('natrium_event_lag_batches', 'Batches of the journal that this gateway has not read', () =>
    orUnknown(feed.behind()),
  );
}

function secondsSince(stamp: string | undefined, now: number): number {
  return stamp === undefined ? 0 : Math.max(0, now - Date.parse(`${stamp}Z`)) / 1000;
}

/** The broker is asked; whoever asks this gateway does not wait for a broker that is away. */
async function orUnknown(figure: Promise<number>): Promise<number> {
  const told = await within(
    BROKER_MS,
    figure.catch(() => Number.NaN),
  );
  return told === LATE ? Number.NaN : told;
}
