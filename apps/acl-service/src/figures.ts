/** What an acl-service tells of itself on its door for metrics: docs/operations.md#monitor. */
import type { ServiceMetrics } from '@natrium/edge';
import type { AuditLog } from './audit-log.js';

export function tellFigures(metrics: ServiceMetrics, audit: Pick<AuditLog, 'counts' | 'waiting'>): void {
  const { decisions, logins } = audit.counts;
  metrics.totals(
    'natrium_decisions_total',
    'Decisions about jobs, runners and the wheel by verdict: allow, or the code of the refusal',
    'verdict',
    () => decisions,
  );
  metrics.totals('natrium_logins_total', 'Logins of external users by verdict', 'verdict', () => logins);
  metrics.gauge('natrium_queue_depth', 'What waits here, by queue', 'queue', () => [['audit', audit.waiting]]);
}
