/** Rules of the figures of an acl-service: what is told is what holds when somebody asks. */
import { ServiceMetrics } from '@natrium/edge';
import { type FigureParts, tellFigures } from './figures.js';

const counts = { accepted: 3, pending: 2, rejected: 1, denied: 0 };
const policies = { current: { revisionText: 'aa' }, isRefused: false };
const parts: FigureParts = {
  audit: {
    counts: { decisions: new Map([['allow', 7]]), refusals: new Map([['slow_down', 2]]), logins: new Map() },
    waiting: 4,
    oldestMs: 1500,
  },
  policies,
  roster: { count: (state) => ({ ...counts, deleted: 9, turned_away: 1 })[state] },
};

/** Lines of ours. */
async function told(metrics: ServiceMetrics): Promise<readonly string[]> {
  const text = await metrics.registry.metrics();
  const lines = text.split('\n').filter((line) => line.startsWith('natrium_'));
  return lines.map((line) => line.replace(/,?service="acl"/, '').replace('{}', ''));
}

it('tells of the policy in force, whether the newest files are refused, and how many keys are in each state', async () => {
  const metrics = new ServiceMetrics('acl');
  tellFigures(metrics, parts);
  expect(await told(metrics)).toEqual(
    expect.arrayContaining([
      'natrium_decisions_total{verdict="allow"} 7',
      'natrium_decisions_total{verdict="not_permitted"} 0',
      'natrium_refusals_total{code="slow_down"} 2',
      'natrium_refusals_total{code="not_accepted"} 0',
      'natrium_logins_total{verdict="allow"} 0',
      'natrium_logins_total{verdict="refuse"} 0',
      'natrium_logins_total{verdict="slow_down"} 0',
      'natrium_queue_depth{queue="audit"} 4',
      'natrium_queue_age_seconds{queue="audit"} 1.5',
      'natrium_policy_info{revision="aa"} 1',
      'natrium_policy_refused 0',
      'natrium_minions{state="accepted"} 3',
      'natrium_minions{state="pending"} 2',
      'natrium_minions{state="rejected"} 1',
      'natrium_minions{state="denied"} 0',
    ]),
  );
  Object.assign(policies, { current: { revisionText: 'bb' }, isRefused: true });
  const later = await told(metrics);
  expect(later.filter((line) => line.startsWith('natrium_policy'))).toEqual([
    'natrium_policy_info{revision="bb"} 1',
    'natrium_policy_refused 1',
  ]);
});
