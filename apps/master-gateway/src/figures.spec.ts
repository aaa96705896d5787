/** What the door for metrics says of a gateway. */
import { ServiceMetrics } from '@natrium/edge';
import { ActiveJobs } from '@natrium/flow';
import { httpFigures, jobSeconds, tellFigures } from './figures.js';

const NOW = Date.parse('2026-11-20T14:16:46Z');
const lag = { unstored: 2, since: '2026-11-20T14:16:44.500000' };

it('tells jobs, returns, who was missing, what waits and how old it is', async () => {
  const metrics = new ServiceMetrics('gateway');
  const jobs = new ActiveJobs({ after: () => () => undefined });
  Object.assign(jobs.counts, { jobs: 5, returns: 40 });
  jobs.counts.missing.set('not_connected', 4);
  tellFigures(metrics, {
    jobs,
    cache: { unstored: 7, unstoredMs: 2500 },
    events: { feed: { lag, behind: () => Promise.resolve(3) }, connected: () => Promise.resolve(9) },
    refusals: new Map([['slow_down', 6]]),
    now: () => NOW,
  });
  const text = await metrics.registry.metrics();
  for (const line of [
    'natrium_jobs_total{service="gateway"} 5',
    'natrium_returns_total{service="gateway"} 40',
    'natrium_returns_missing_total{why="not_connected",service="gateway"} 4',
    'natrium_returns_missing_total{why="no_answer",service="gateway"} 0',
    'natrium_refusals_total{code="slow_down",service="gateway"} 6',
    'natrium_refusals_total{code="acl_unavailable",service="gateway"} 0',
    'natrium_minions_connected{service="gateway"} 9',
    'natrium_queue_depth{queue="jobs",service="gateway"} 0',
    'natrium_queue_depth{queue="returns",service="gateway"} 7',
    'natrium_queue_depth{queue="events",service="gateway"} 2',
    'natrium_queue_age_seconds{queue="returns",service="gateway"} 2.5',
    'natrium_queue_age_seconds{queue="events",service="gateway"} 1.5',
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

it('has buckets for a job of four hours as for one of a moment', async () => {
  const metrics = new ServiceMetrics('gateway');
  const took = jobSeconds(metrics, { clock: { now: () => NOW } } as Parameters<typeof jobSeconds>[1]);
  took({ started: NOW - 3 * 3_600_000 } as Parameters<typeof took>[0], true);
  const text = await metrics.registry.metrics();
  const bucket = (le: number) => `natrium_job_seconds_bucket{le="${le}",service="gateway",returned="all"}`;
  for (const line of [`${bucket(0.05)} 0`, `${bucket(7200)} 0`, `${bucket(14_400)} 1`]) expect(text).toContain(line);
});

it('counts answers of the HTTP API by route and status, and takes no time of those that last', async () => {
  const metrics = new ServiceMetrics('gateway');
  const tell = httpFigures(metrics);
  const first = await metrics.registry.metrics();
  expect(first).toContain('natrium_http_requests_total{route="/jobs/:jid",code="500",service="gateway"} 0\n');
  expect(first).toContain('natrium_http_requests_total{route="other",code="503",service="gateway"} 0\n');
  tell({ route: '/minions', code: '202', seconds: 0.5 });
  tell({ route: '/events', code: '200', seconds: 4000 });
  const text = await metrics.registry.metrics();
  expect(text).toContain('natrium_http_requests_total{route="/minions",code="202",service="gateway"} 1\n');
  expect(text).toContain('natrium_http_requests_total{route="/events",code="200",service="gateway"} 1\n');
  expect(text).toContain('natrium_http_request_seconds_sum{service="gateway",route="/minions"} 0.5\n');
  expect(text).not.toMatch(/request_seconds\w*\{[^}]*events/);
});

it('says that it does not know how far behind it is, while the broker does not tell', async () => {
  for (const behind of [() => Promise.reject(new Error('no broker')), () => new Promise<number>(() => undefined)]) {
    const metrics = new ServiceMetrics('gateway');
    const jobs = new ActiveJobs({ after: () => () => undefined });
    const connected = () => new Promise<number>(() => undefined);
    const events = { feed: { lag, behind }, connected };
    tellFigures(metrics, { jobs, cache: { unstored: 0, unstoredMs: 0 }, events, refusals: new Map(), now: () => NOW });
    const text = await metrics.registry.metrics();
    expect(text).toContain('natrium_event_lag_batches{service="gateway"} Nan\n');
    expect(text).toContain('natrium_minions_connected{service="gateway"} Nan\n');
  }
});
