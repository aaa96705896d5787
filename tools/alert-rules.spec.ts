/**
 * The rules for Prometheus in examples/monitoring name metrics that there are, as docs/operations.md explains them, and counters that
 * there are from the start on: one that is born with its first count does not rise for `increase` and `rate`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { tellFigures as tellAcl } from '../apps/acl-service/src/figures.js';
import { figuresOf as tellSink } from '../apps/event-sink/src/figures.js';
import { httpFigures, tellFigures as tellGateway } from '../apps/master-gateway/src/figures.js';
import { reactionFigures, tellFigures as tellRunner } from '../apps/runner-service/src/figures.js';
import { ServiceMetrics } from '../libs/edge/src/index.js';
import { OPEN_REASONS } from '../libs/envelope/src/index.js';
import { ActiveJobs } from '../libs/flow/src/index.js';
import { inRoot } from '../tests/support/places.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly mend: string };
}
interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const { groups } = load(readFileSync(inRoot('examples/monitoring/alerts.yml'), 'utf8')) as RuleFile;
const rules = groups.flatMap((group) => group.rules);
/** As the services make them, and as the page explains them. */
const made = new Set(
  ['apps', 'libs']
    .flatMap((folder) =>
      readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\/src\/.*(?<!\.spec)\.ts$/.test(path) && !path.includes('node_modules'))
    .flatMap((path) => readFileSync(inRoot(path), 'utf8').match(/(?<=')natrium_\w+(?=')/g) ?? []),
);
const explained = new Set(readFileSync(inRoot('docs/operations.md'), 'utf8').match(/\bnatrium_\w+/g));

/** Of a histogram its name, without which of its series. */
const metricsOf = (expr: string) => new Set(expr.match(/\bnatrium_\w+?(?=_bucket\b|\b)/g));

it.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (_name, { expr, labels, annotations }) => {
  const metrics = [...metricsOf(expr)];
  expect(metrics.filter((metric) => !made.has(metric) || !explained.has(metric))).toEqual([]);
  expect(['critical', 'warning', 'info']).toContain(labels.severity);
  expect(Object.keys(annotations)).toEqual(['summary', 'mend']);
});

type Labels = Readonly<Record<string, string | number | undefined>>;

/** The samples of our counters that `/metrics` of services has which have just begun, with one sink and a route. */
async function samplesAtStart(): Promise<ReadonlyMap<string, readonly Labels[]>> {
  const [acl, gateway, runner, sink] = ['acl', 'gateway', 'runner', 'sink'].map((role) => new ServiceMetrics(role));
  const none = new Map<string, never>();
  tellAcl(acl, {
    audit: { counts: { decisions: none, refusals: none, logins: none }, waiting: 0, oldestMs: 0 },
    policies: { current: { revisionText: 'aa' }, isRefused: false },
    roster: { count: () => 0 },
  });
  acl.serves('svc.acl.grant');
  tellGateway(gateway, {
    jobs: new ActiveJobs({ after: () => () => undefined }),
    cache: { unstored: 0, unstoredMs: 0 },
    events: {
      feed: { lag: { unstored: 0, since: undefined }, behind: () => Promise.resolve(0) },
      connected: undefined,
    },
    refusals: none,
    now: () => 0,
  });
  httpFigures(gateway);
  tellRunner(runner, { size: 0, counts: none });
  reactionFigures(runner);
  tellSink(sink, ['hook'], [], () => 0);
  const told = await Promise.all([acl, gateway, runner, sink].map(({ registry }) => registry.getMetricsAsJSON()));
  const counters = new Map<string, Labels[]>();
  for (const { name, values } of told.flat()) {
    if (!name.startsWith('natrium_') || !name.endsWith('_total')) continue;
    expect(values.filter(({ value }) => value !== 0)).toEqual([]);
    counters.set(name, [...(counters.get(name) ?? []), ...values.map(({ labels }) => labels)]);
  }
  return counters;
}

/** Each counter that an expression looks at, with each value of a label that it names. */
function countersIn(expr: string): readonly (readonly [counter: string, label: string, value: string])[] {
  return [...expr.matchAll(/\b(natrium_\w+_total)\b(?:\{([^}]*)\})?/g)].flatMap(([, counter = '', selectors = '']) => {
    const named = [...selectors.matchAll(/(\w+)=~?"([^"]*)"/g)];
    if (named.length === 0) return [[counter, 'service', '.+'] as const];
    return named.flatMap(([, label = '', values = '']) =>
      values.split('|').map((value) => [counter, label, value] as const),
    );
  });
}

let atStart: ReadonlyMap<string, readonly Labels[]>;
beforeAll(async () => {
  atStart = await samplesAtStart();
});

const looked = rules.flatMap(({ alert, expr }) => countersIn(expr).map((one) => [alert, ...one] as const));

it.each(looked)('%s looks at %s, which is there from the start with %s %s', (_alert, counter, label, value) => {
  const samples = atStart.get(counter) ?? [];
  const is = new RegExp(`^(?:${value})$`);
  expect(samples.filter((labels) => is.test(String(labels[label])))).not.toEqual([]);
});

it('takes each reason for which a message is not opened for a forgery, but what befalls an honest party', () => {
  const forged = countersIn(rules.find(({ alert }) => alert === 'NatriumForged')?.expr ?? '').map(
    ([, , reason]) => reason,
  );
  // A key that has just changed, an answer that comes too late, and who is only too fast.
  const honest = ['stale_key', 're', 'slow_down'];
  expect([...forged, ...honest].sort()).toEqual([...OPEN_REASONS].sort());
});

it('takes no request that an outage left without an answer for a fault of the program', () => {
  const { expr = '' } = rules.find(({ alert }) => alert === 'NatriumHandlerFails') ?? {};
  expect(countersIn(expr)).toEqual([['natrium_handler_failures_total', 'why', 'fault']]);
});

it('hears of each service, of a policy that is not in force, and of minions', () => {
  const heard = new Set(rules.flatMap(({ expr }) => [...metricsOf(expr)]));
  for (const metric of ['natrium_ready', 'natrium_policy_refused', 'natrium_policy_info', 'natrium_minions'])
    expect(heard).toContain(metric);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
}); // prettier-ignore
