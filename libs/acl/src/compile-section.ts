/** The sections of the configuration that map callers, users or backends to access lists. */
import { isList, isMap, isTrue, type Value } from '@natrium/model';
import { compileList, type ListContext } from './compile-list.js';
import { prefixPattern, userPattern, warnEscapedStar, wholePattern } from './compile-pattern.js';
import { isPlainGlob } from '@natrium/matchers';
import type { Backend, CallerRule, DenyList, RulePath, UserRule } from './policy.js';
import type { ProblemList } from './problem-list.js';

/** `peer` and its kin. Absent or empty: nobody may. */
export function compileCallers(raw: Value | undefined, path: RulePath, context: ListContext): readonly CallerRule[] {
  return entriesOf(raw, path, context.problems).map(([key, list]) => {
    const below = [...path, key];
    warnEscapedStar(key, below, context.problems);
    return {
      path: below,
      callers: prefixPattern(key, below, context.problems),
      list: compileList(list, below, context),
    };
  });
}

export function compileUsers(raw: Value | undefined, path: RulePath, context: ListContext): readonly UserRule[] {
  return entriesOf(raw, path, context.problems).map(([key, list]) => userRule(key, list, [...path, key], context));
}

function userRule(key: string, list: Value, path: RulePath, context: ListContext): UserRule {
  warnEscapedStar(key, path, context.problems);
  return { path, key, users: userPattern(key, path, context.problems), list: compileList(list, path, context) };
}

export function compileBackends(raw: Value | undefined, context: ListContext): ReadonlyMap<string, Backend> {
  const backends = entriesOf(raw, ['external_auth'], context.problems).map(([name, users]) => {
    return [name, compileBackend(users, ['external_auth', name], context)] as const;
  });
  return new Map(backends);
}

function compileBackend(raw: Value, path: RulePath, context: ListContext): Backend {
  // Keys that begin with `^` are settings of the backend.
  const keys = entriesOf(raw, path, context.problems).filter(([key]) => !key.startsWith('^'));
  return keys.map(([key, list]) => {
    const below = [...path, key];
    if (!key.endsWith('%')) return { ...userRule(key, list, below, context), group: undefined };
    const users = { source: key, problem: undefined, test: () => false };
    return { path: below, key, users, list: compileList(list, below, context), group: key.replace(/%+$/, '') };
  });
}

function entriesOf(
  raw: Value | undefined,
  path: RulePath,
  problems: ProblemList,
): readonly (readonly [string, Value])[] {
  if (raw === undefined) return [];
  if (isMap(raw)) return Object.entries(raw);
  // A section that is commented out but for its name reads as null.
  if (raw !== null || path.length > 1)
    problems.add(path, 'this is not a mapping, so it grants nothing', 'write name: [list], or remove it');
  return [];
}

/** A deny list: a list of texts, or one text; what Python counts as false is no rule. A rule that cannot be compiled denies everyone. */
export function compileDenied(raw: Value | undefined, path: RulePath, problems: ProblemList): DenyList {
  if (raw === undefined || !isTrue(raw)) return { everyone: false, rules: [] };
  const items = isList(raw) ? raw : [raw];
  const texts = items.filter((item) => typeof item === 'string');
  const rules = texts.map((text, index) => {
    warnEscapedStar(text, [...path, index], problems);
    return { path: [...path, index], match: wholePattern(text, [...path, index], problems) };
  });
  const malformed = texts.length !== items.length;
  if (malformed)
    problems.add(
      path,
      'a rule of a deny list is text; until it is mended everyone is denied',
      'write a list of patterns',
    );
  const broken = rules.some(({ match }) => match.problem !== undefined && !isPlainGlob(match.source));
  return { everyone: malformed || broken, rules };
}
