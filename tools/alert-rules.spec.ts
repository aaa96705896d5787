/** The rules for Prometheus in examples/monitoring name metrics that there are, as docs/operations.md explains them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
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

const metricsOf = (expr: string) => new Set(expr.match(/\bnatrium_\w+/g));

it.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (_name, { expr, labels, annotations }) => {
  const metrics = [...metricsOf(expr)];
  expect(metrics.filter((metric) => !made.has(metric) || !explained.has(metric))).toEqual([]);
  expect(['critical', 'warning', 'info']).toContain(labels.severity);
  expect(Object.keys(annotations)).toEqual(['summary', 'mend']);
});

it('hears of each service, of a policy that is not in force, and of minions', () => {
  const heard = new Set(rules.flatMap(({ expr }) => [...metricsOf(expr)]));
  for (const metric of ['natrium_epoch_age_seconds', 'natrium_policy_refused', 'natrium_policy_info', 'natrium_minions'])
    expect(heard).toContain(metric);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
}); // prettier-ignore
