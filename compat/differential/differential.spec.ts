/**
 * The evaluator against a second one that shares nothing with it: libs/acl and libs/matchers against compat/differential/second-*.ts.
 *
 * `NATRIUM_DIFFERENTIAL_CASES=1000000` runs more than the 4,000 of `npm test`; `npm run test:system` runs 30,000. The rarest rule
 * decides one in ninety of them.
 */
import { runDifferential } from './differential.js';
import { RULES } from './second-evaluator.js';

const CASES = Number(process.env['NATRIUM_DIFFERENTIAL_CASES'] ?? 4000);
const ENOUGH = 30;

describe('two evaluators', () => {
  const tally = runDifferential(CASES, ENOUGH);

  it('agree on every scenario', () => {
    expect(tally.disagreements.slice(0, 20)).toEqual([]);
  });

  it('allow at least a third of them', () => {
    expect(tally.allowed / tally.cases).toBeGreaterThan(1 / 3);
  });

  it.each(RULES)('notice in at least thirty scenarios when this rule is changed: %s', (rule) => {
    expect(tally.decisive.get(rule)).toBeGreaterThanOrEqual(ENOUGH);
  });
});
