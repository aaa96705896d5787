/** Runs scenarios through `decide` and through the second evaluator, and counts how often each rule is what decides. */
import { type Ask, compilePolicy, decide, TargetMemo } from '@natrium/acl';
import type { Inventory } from '@natrium/matchers';
import { makeScenario, type Scenario } from './scenario.js';
import { type Rule, RULES, secondVerdict, type Verdict } from './second-evaluator.js';

export interface Tally {
  readonly cases: number;
  readonly allowed: number;
  /** Seeds on which the two evaluators disagree. */
  readonly disagreements: readonly number[];
  /** For each rule, how many verdicts are different when it alone is changed. */
  readonly decisive: ReadonlyMap<Rule, number>;
}

/** @param enough A rule that has decided this often is no longer judged, to save time. */
export function runDifferential(cases: number, enough = Infinity): Tally {
  const disagreements: number[] = [];
  const decisive = new Map<Rule, number>(RULES.map((rule) => [rule, 0]));
  let allowed = 0;
  for (let seed = 1; seed <= cases; seed += 1) {
    const scenario = makeScenario(seed);
    const second = canonical(secondVerdict(scenario));
    if (firstVerdict(scenario) !== second) disagreements.push(seed);
    if (second !== REFUSED) allowed += 1;
    for (const rule of RULES) {
      const times = decisive.get(rule) ?? 0;
      if (times < enough && canonical(secondVerdict(scenario, rule)) !== second) decisive.set(rule, times + 1);
    }
  }
  return { cases, allowed, disagreements, decisive };
}

const REFUSED = 'refused';

/** The verdict of the real code, asked twice: a remembered target must not change it. */
function firstVerdict(scenario: Scenario): string {
  const { policy } = compilePolicy(scenario.config);
  const { fleet } = scenario;
  const inventory: Inventory = { accepted: new Set(fleet.keys()), dataOf: (id) => fleet.get(id), revision: 1 };
  const memo = new TargetMemo(4);
  const ask = askOf(scenario);
  const verdicts = [0, 1].map(() => {
    const decision = decide(policy, ask, inventory, memo);
    return canonical({ allow: decision.allow, minions: decision.allow ? decision.minions : [] });
  });
  return verdicts[0] === verdicts[1] ? (verdicts[0] ?? '') : `first ${verdicts.join(', then ')}`;
}

function askOf({ caller, what, funs, args, tgt, tgtType }: Scenario): Ask {
  const { kind, name, groups } = caller;
  return {
    principal: { kind, name },
    what,
    funs,
    args,
    ...(what === 'job' ? { target: { tgt, tgtType } } : {}),
    ...(kind === 'account' ? { account: { name, listsOf: name, byMasterKey: false } } : {}),
    ...(kind === 'external' ? { login: { backend: 'pam', groups } } : {}),
  };
}

function canonical({ allow, minions }: Verdict): string {
  return allow ? `allowed on ${[...minions].sort().join(',')}` : REFUSED;
}
