/** What an acl-service tells of itself on its door for metrics: docs/operations.md#monitor. */
import type { ServiceMetrics } from '@natrium/edge';
import { REFUSAL_CODES } from '@natrium/model';
import type { AuditLog } from './audit/audit-log.js';
import type { Policies } from './policy/policies.js';
import type { Roster } from './roster/roster.js';

export interface FigureParts {
  readonly audit: Pick<AuditLog, 'counts' | 'waiting' | 'oldestMs'>;
  readonly policies: { readonly current: Pick<Policies['current'], 'revisionText'>; readonly isRefused: boolean };
  readonly roster: Pick<Roster, 'count'>;
}

const LOGINS = ['allow', 'refuse', 'slow_down'];
const STATES = ['accepted', 'pending', 'rejected', 'denied'] as const;

export function tellFigures(metrics: ServiceMetrics, { audit, policies, roster }: FigureParts): void {
  const { decisions, refusals, logins } = audit.counts;
  metrics.totals(
    'natrium_decisions_total',
    'Decisions about jobs, runners and the wheel by verdict: allow, or the code of the refusal',
    'verdict',
    ['allow', ...REFUSAL_CODES],
    () => decisions,
  );
  metrics.totals(
    'natrium_refusals_total',
    'What was refused here before there was a decision, or needs none, by code',
    'code',
    REFUSAL_CODES,
    () => refusals,
  );
  metrics.totals('natrium_logins_total', 'Logins of external users by verdict', 'verdict', LOGINS, () => logins);
  metrics.gauge('natrium_queue_depth', 'What waits here, by queue', 'queue', () => [['audit', audit.waiting]]);
  metrics.gauge(
    'natrium_queue_age_seconds',
    'For how long the oldest has waited to be stored, by queue',
    'queue',
    () => [['audit', audit.oldestMs / 1000]],
  );
  metrics.gauge('natrium_policy_info', 'The policy in force here: its revision, always 1', 'revision', () => [
    [policies.current.revisionText, 1],
  ]);
  metrics.figure(
    'natrium_policy_refused',
    '1 where the newest files are refused, and an older policy is in force',
    () => Number(policies.isRefused),
  );
  metrics.gauge('natrium_minions', 'Keys of minions by state', 'state', () =>
    STATES.map((state) => [state, roster.count(state)] as const),
  );
}
