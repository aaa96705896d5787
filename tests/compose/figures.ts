/** The Prometheus text of every service, asked from another container over the cluster's own network. */
import type { Engine } from './engine.js';
import { SERVICES } from './steps.js';

const NAMES = [
  'process_cpu_seconds_total',
  'nodejs_eventloop_lag_p99_seconds',
  'natrium_unopened_messages_total',
  'natrium_handler_failures_total',
  'natrium_ready',
  'natrium_build_info',
  'natrium_epoch_due_timestamp_seconds',
  'natrium_roles_expire_timestamp_seconds',
  'natrium_storage_key_age_seconds',
  'natrium_request_seconds',
];
/** By service, as docs/operations.md has them. */
const OF_ONE: Readonly<Record<string, readonly string[]>> = {
  acl: [
    'natrium_decisions_total',
    'natrium_logins_total',
    'natrium_queue_depth',
    'natrium_queue_age_seconds',
    'natrium_policy_info',
    'natrium_policy_refused',
    'natrium_minions',
  ],
  gateway: [
    'natrium_jobs_total',
    'natrium_returns_total',
    'natrium_returns_missing_total',
    'natrium_job_seconds',
    'natrium_queue_age_seconds',
    'natrium_refusals_total',
    'natrium_http_requests_total',
    'natrium_event_lag_batches',
    'natrium_queue_depth',
  ],
  runner: ['natrium_queue_depth', 'natrium_runs_total', 'natrium_reactions_total'],
  sink: ['natrium_sink_active', 'natrium_sink_delivered_total', 'natrium_sink_lag_seconds'],
};

export interface Figures {
  /** The sum of each metric of ours over all replicas, by `<service> <metric>`. */
  readonly sums: ReadonlyMap<string, number>;
  /** By service: what `/metrics` of its first replica says of metrics of ours, as it says it. */
  readonly said: ReadonlyMap<string, readonly string[]>;
}

/** @throws {Error} When a replica does not answer, or its text lacks a metric that docs/operations.md names. */
export async function figuresOf(engine: Engine): Promise<Figures> {
  const cli = await engine.container('cli');
  const sums = new Map<string, number>();
  const said = new Map<string, readonly string[]>();
  for (const [service, label] of Object.entries(SERVICES)) {
    for (const id of await engine.containers(service)) {
      const url = `http://${id.slice(0, 12)}:9100/metrics`;
      const text = await engine.docker('exec', cli, 'node', '/opt/test/fetch-text.mjs', url);
      for (const name of [...NAMES, ...(OF_ONE[label] ?? [])])
        if (!text.includes(`# TYPE ${name} `)) throw new Error(`${service}: ${url} has no ${name}:\n${text}`);
      if (!text.includes(`service="${label}"`)) throw new Error(`${service}: ${url} does not say that it is ${label}`);
      if (!said.has(service))
        said.set(
          service,
          text.split('\n').filter((line) => /^(# TYPE )?natrium_/.test(line) && !line.includes('_bucket{')),
        );
      for (const [, name = '', value] of text.matchAll(/^(natrium_\w+)\{[^}]*\} (\S+)/gm)) {
        const place = `${service} ${name}`;
        sums.set(place, (sums.get(place) ?? 0) + Number(value));
      }
    }
  }
  return { sums, said };
}
