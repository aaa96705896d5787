/**
 * Everything that can be said of access lists without a request: what stops the start, what opens more or less than it says, what
 * adds nothing, and what Salt reads otherwise.
 *
 * Every witness is proved by the compiled rule itself, so that a finding can be wrong only in what it suggests.
 */
import type { Entry, PolicyProblem, ValueRule } from '@natrium/acl';
import { parseCompoundWord, resolve, splitWords, compilePattern } from '@natrium/matchers';
import { isList } from '@natrium/model';
import type { Fleet } from '../fleet.js';
import {
  isBelow,
  type KeyedList,
  keyedLists,
  type PolicyView,
  type Rule,
  rulesOf,
  type Section,
  valueAt,
} from '../policy-view.js';
import { argumentBreadth, bareFunctionBreadth, callerBreadth, functionBreadth, nameBreadth } from './breadth.js';
import { targetAsKey } from './caller-key.js';
import { weakDenials } from './denials.js';
import { differences } from './differences.js';
import { exchangedEntries } from './exchanged-entries.js';
import type { Finding } from './finding.js';
import { nodeGroups } from './node-groups.js';
import { deniedKey, neverAKey, neverAnId, neverUsed, noBackEnd, regexAsGlob } from './never.js';
import { repeats } from './repeats.js';
import { isSide } from './spec-word.js';
import type { Subject } from './subject.js';

export function lintPolicy(view: PolicyView, fleet: Fleet): readonly Finding[] {
  const lists = keyedLists(view);
  const exchanged = exchangedEntries(view, fleet);
  const isSound = (entry: Entry): boolean => !exchanged.has(entry);
  return [
    ...view.problems.map((problem) => malformed(problem, view)),
    ...noBackEnd(view),
    ...lists.flatMap((keyed) => [
      ...keyFindings(keyed, view, fleet),
      ...deniedKey(keyed, view),
      ...targetFindings(keyed.list.entries.filter(isSound), fleet),
    ]),
    ...[...exchanged.values()].filter((finding) => finding !== undefined),
    ...rulesOf(view)
      .filter(({ entry }) => isSound(entry))
      .flatMap((rule) => {
        const never = neverUsed(rule, view);
        if (never.length === 0) return ruleFindings(rule);
        // What is said of the whole entry is said once.
        return rule.entry.functions[0] === rule.rule ? never : never.filter(({ path }) => path !== rule.entry.path);
      }),
    ...weakDenials(view),
    ...nodeGroups(view),
    ...repeats(view).filter(({ path }) => ![...exchanged.keys()].some((entry) => isBelow(path, entry.path))),
    ...differences(view),
  ];
}

function malformed({ path, reason, mend }: PolicyProblem, { config }: PolicyView): Finding {
  const divergence = divergenceOf(path, reason, config);
  return {
    code: 'malformed',
    severity: 'problem',
    path,
    message: reason,
    mend,
    ...(divergence === undefined ? {} : { divergence }),
  };
}

function divergenceOf(path: PolicyProblem['path'], reason: string, config: PolicyView['config']): string | undefined {
  if (reason.includes('the star is escaped')) return 'web\\* in an access list';
  if (reason.includes('range server')) return 'range-prefix-in-compound';
  if (reason.includes('cannot be used')) return 'regex-syntax-beyond-the-common-subset';
  const value = valueAt(config, path);
  const isUser = path[0] === 'publisher_acl' && path.length === 2;
  return isUser && !isList(value) ? 'non-list-user-value' : 'malformed configuration';
}

function keyFindings(keyed: KeyedList, { policy }: PolicyView, fleet: Fleet): readonly Finding[] {
  const { section, key, path, names } = keyed;
  const dead = neverAKey(keyed, policy);
  if (dead.length > 0) return dead;
  if (names === undefined) return [];
  const subject = { path, source: key, test: names };
  if (section === 'publisher_acl') return nameBreadth(subject, 'account of this host');
  if (section === 'external_auth')
    return nameBreadth(subject, key === '*' ? 'login without a rule of its own' : 'login');
  if (section === 'runner_grants' || section === 'reactor_grants') return functionBreadth(subject);
  const never = [...targetAsKey(keyed, policy.nodegroups, fleet), ...neverAnId(subject)];
  return never.length > 0 ? never : [...callerBreadth(subject), ...nobodyCalls(subject, fleet)];
}

function nobodyCalls({ path, source, test }: Subject, fleet: Fleet): readonly Finding[] {
  if (fleet.from !== 'given' || [...fleet.accepted].some(test)) return [];
  return [{ code: 'empty-target', severity: 'warning', path, message: `no accepted minion matches '${source}'` }];
}

function targetFindings(entries: readonly Entry[], fleet: Fleet): readonly Finding[] {
  return entries.flatMap(({ target, spec }) => {
    if (target?.expr === undefined || spec !== undefined) return [];
    const { text, path, expr } = target;
    const found = [...regexAsGlob(text, path), ...splitWords(text).flatMap((word) => pcreBreadth(word, path))];
    const isEscaped = text.includes('\\*');
    if (fleet.from !== 'given' || isEscaped || resolve(expr, fleet, 'strict').minions.length > 0) return found;
    return [
      ...found,
      {
        code: 'empty-target',
        severity: 'warning',
        path,
        message: `no accepted minion is inside of '${text}'`,
      } as const,
    ];
  });
}

function pcreBreadth(word: string, path: Finding['path']): readonly Finding[] {
  const { engine, pattern } = parseCompoundWord(word);
  const compiled = engine === 'E' ? compilePattern(pattern, { mode: 'prefix' }) : undefined;
  return compiled?.ok === true ? callerBreadth({ path, source: pattern, test: compiled.value.test }) : [];
}

function ruleFindings({ rule, entry, keyed }: Rule): readonly Finding[] {
  const { pattern, conditions = [], path } = rule;
  const subject = pattern === undefined ? undefined : { path, source: pattern.source, test: pattern.test };
  const own = subject === undefined ? [] : breadthOf(subject, entry.spec, keyed.section);
  const values = conditions.flatMap(({ args, kwargs }) => [...args, ...kwargs.map(([, value]) => value)]);
  return [...own, ...values.flatMap((value) => valueFindings(value, path))];
}

function breadthOf(subject: Subject, spec: Rule['entry']['spec'], section: Section): readonly Finding[] {
  if (section === 'peer_run') return functionBreadth(subject, 'every runner');
  if (spec?.functions === undefined) return functionBreadth(subject);
  if (!isSide(spec.word)) return bareFunctionBreadth(subject, spec.word);
  return functionBreadth(subject, spec.word.startsWith('runner') ? 'every runner' : 'every function of the wheel');
}

function valueFindings(value: ValueRule, path: Finding['path']): readonly Finding[] {
  return value === null || value === undefined ? [] : argumentBreadth({ path, source: value.source, test: value.test });
}
