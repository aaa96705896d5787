/** What the door for metrics says of a gateway. */
import { ServiceMetrics } from '@natrium/edge';
import { ActiveJobs } from '@natrium/flow';
import { jobSeconds, tellFigures } from './figures.js';

const NOW = Date.parse('2026-11-20T14:16:46Z');
const lag = { unstored: 2, since: '2026-11-20T14:16:44.500000' };

it('tells jobs, returns, who was missing, what waits and how old it is', async () => {
  const metrics = new ServiceMetrics('gateway');
  const jobs = new ActiveJobs({ after: () => () => undefined });
  Object.assign(jobs.counts, { jobs: 5, returns: 40 });
  jobs.counts.missing.set('not_connected', 4);
  tellFigures(metrics, {
    jobs,
    cache: { unstored: 7 },
    events: { lag, behind: () => Promise.resolve(3) },
    now: () => NOW,
  });
  const text = await metrics.registry.metrics();
  for (const line of [
    'natrium_jobs_total{service="gateway"} 5',
    'natrium_returns_total{service="gateway"} 40',
    'natrium_returns_missing_total{why="not_connected",service="gateway"} 4',
    'natrium_queue_depth{queue="jobs",service="gateway"} 0',
    'natrium_queue_depth{queue="returns",service="gateway"} 7',
    'natrium_queue_depth{queue="events",service="gateway"} 2',
    'natrium_event_lag_seconds{service="gateway"} 1.5',
    'natrium_event_lag_batches{service="gateway"} 3',
  ])
    expect(text).toContain(`${line}\n`);
});

it('tells how long jobs took, and whether somebody was missing', async () => {
  const metrics = new ServiceMetrics('gateway');
  const took = jobSeconds(metrics, { clock: { now: () => NOW } } as Parameters<typeof jobSeconds>[1]);
  const job = (ms: number) => ({ started: NOW - ms }) as Parameters<typeof took>[0];
  took(job(20), true);
  took(job(5000), false);
  const text = await metrics.registry.metrics();
  expect(text).toContain('natrium_job_seconds_sum{service="gateway",returned="all"} 0.02\n');
  expect(text).toContain('natrium_job_seconds_sum{service="gateway",returned="some"} 5\n');
});

it('says that it does not know how far behind it is, while the broker does not tell', async () => {
  for (const behind of [() => Promise.reject(new Error('no broker')), () => new Promise<number>(() => undefined)]) {
    const metrics = new ServiceMetrics('gateway');
    const jobs = new ActiveJobs({ after: () => () => undefined });
    tellFigures(metrics, { jobs, cache: { unstored: 0 }, events: { lag, behind }, now: () => NOW });
    expect(await metrics.registry.metrics()).toContain('natrium_event_lag_batches{service="gateway"} Nan\n');
  }
});
