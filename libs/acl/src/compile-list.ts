/**
 * Access lists: function patterns for every target, permitted targets with functions of their own, and `@` entries for runners
 * and wheel. What is malformed never grants and is reported; the rest stands.
 *
 * Spec: spec/acl.md#lists.
 */
import { type NodeGroups, parseCompoundWord, parseTarget, splitWords } from '@natrium/matchers';
import { isList, isMap, type Value } from '@natrium/model';
import { compileConditions } from './compile-condition.js';
import { prefixPattern, warnEscapedStar } from './compile-pattern.js';
import { exchangedMend, quoted, readsAsFunction } from './exchanged.js';
import type { AccessList, Entry, FunctionRule, PermittedTarget, RulePath } from './policy.js';
import { ProblemList } from './problem-list.js';

const MAX_SHOWN = 3;
const SHAPE = 'write a function pattern, or {target: [function patterns]}';

export interface ListContext {
  readonly nodegroups: NodeGroups;
  readonly problems: ProblemList;
  /** Whether entries are function patterns only, as in `peer_run`. */
  readonly onlyFunctions?: boolean;
}

const EMPTY_LIST: AccessList = { entries: [], source: [] };

export function compileList(raw: Value, path: RulePath, context: ListContext): AccessList {
  if (!isList(raw)) {
    context.problems.add(path, 'this is not a list, so it grants nothing', listMend(raw, context));
    return EMPTY_LIST;
  }
  return { entries: raw.flatMap((one, index) => compileEntry(one, [...path, index], context)), source: raw };
}

/** Of a mapping each key becomes an entry: as patterns of a list its functions would be permitted everywhere. */
function listMend(raw: Value, { onlyFunctions }: ListContext): string {
  const keys = isMap(raw) && onlyFunctions !== true ? Object.entries(raw) : [];
  if (keys.length === 0) return 'put each pattern into a list of its own line: - pattern';
  const shown = keys.slice(0, MAX_SHOWN).map(([key, value]) => {
    const swapped = exchangedMend(key, value)?.replace('write ', '');
    if (swapped !== undefined || !readsAsFunction(key)) return swapped ?? `- ${quoted(key)}: […]`;
    return isMap(value) ? `- TARGET: [{${quoted(key)}: …}]` : `- ${quoted(key)}${value === null ? '' : ': […]'}`;
  });
  return `write ${shown.join(' and ')}${keys.length > MAX_SHOWN ? ', and so on' : ''}`;
}

function compileEntry(raw: Value, path: RulePath, context: ListContext): readonly Entry[] {
  if (typeof raw === 'string') return [textEntry(raw, path, context)];
  const only = isMap(raw) ? Object.entries(raw) : [];
  const [first] = only;
  if (first === undefined || only.length !== 1 || context.onlyFunctions === true) {
    context.problems.add(
      path,
      'this entry grants nothing',
      context.onlyFunctions === true ? 'write a function pattern' : SHAPE,
    );
    return [];
  }
  return [mappingEntry(first[0], first[1], path, context)];
}

function textEntry(text: string, path: RulePath, { problems }: ListContext): Entry {
  warnEscapedStar(text, path, problems);
  const rule = { path, pattern: prefixPattern(text, path, problems), conditions: undefined };
  const spec = text.startsWith('@') ? { word: text.slice(1), functions: undefined } : undefined;
  return { path, target: undefined, functions: [rule], spec };
}

function mappingEntry(key: string, raw: Value, path: RulePath, context: ListContext): Entry {
  const below = [...path, key];
  const swapped = exchangedMend(key, raw);
  const own = new ProblemList();
  const functions = compileFunctions(raw, below, own);
  for (const { path: place, reason, mend } of own.found)
    context.problems.add(
      place,
      reason,
      swapped === undefined ? mend : `target and functions look exchanged: ${swapped}`,
    );
  const isSpec = key.startsWith('@');
  const target = permittedTarget(key, below, isSpec ? undefined : context.problems, context.nodegroups);
  return { path, target, functions, spec: isSpec ? { word: key.slice(1), functions } : undefined };
}

function permittedTarget(
  text: string,
  path: RulePath,
  problems: ProblemList | undefined,
  nodegroups: NodeGroups,
): PermittedTarget {
  const parsed = parseTarget({ tgt: text, tgtType: 'compound' }, { nodegroups });
  const wrong = parsed.ok ? parsed.value.problems : [parsed.error];
  const groups = unknownGroups(text, nodegroups);
  if (problems !== undefined) {
    warnEscapedStar(text, path, problems);
    for (const { reason } of wrong)
      problems.add(path, `the target '${text}' is wrong: ${reason}`, 'see spec/targeting.md#compound');
    for (const { name } of groups) problems.add(path, `there is no node group '${name}'`, 'define it under nodegroups');
  }
  // A defective term is neither true nor false here; a group that is not there leaves its `not` to the next word.
  const isNegated = groups.some(({ negated }) => negated);
  return { path, text, expr: parsed.ok && !isNegated ? parsed.value : undefined };
}

interface UnknownGroup {
  readonly name: string;
  readonly negated: boolean;
}

function unknownGroups(text: string, nodegroups: NodeGroups): readonly UnknownGroup[] {
  const words = splitWords(text);
  /** For each open parenthesis, whether a `not` stands before it. */
  const open: boolean[] = [];
  return words.flatMap((word, index) => {
    const afterNot = words[index - 1] === 'not';
    if (word === '(') open.push(afterNot);
    if (word === ')') open.pop();
    const { engine, pattern: name } = parseCompoundWord(word);
    return engine === 'N' && !nodegroups.has(name) ? [{ name, negated: afterNot || open.includes(true) }] : [];
  });
}

function compileFunctions(raw: Value, path: RulePath, problems: ProblemList): readonly FunctionRule[] {
  if (!isList(raw)) return compileFunction(raw, path, problems);
  return raw.flatMap((one, index) => compileFunction(one, [...path, index], problems));
}

function compileFunction(raw: Value, path: RulePath, problems: ProblemList): readonly FunctionRule[] {
  if (typeof raw === 'string') {
    warnEscapedStar(raw, path, problems);
    return [{ path, pattern: prefixPattern(raw, path, problems), conditions: undefined }];
  }
  const only = isMap(raw) ? Object.entries(raw) : [];
  const [first] = only;
  if (first === undefined || only.length !== 1) {
    problems.add(
      path,
      'this names no function, so it grants nothing',
      'write a function pattern, or {pattern: {args: [...]}}',
    );
    return [];
  }
  const below = [...path, first[0]];
  warnEscapedStar(first[0], below, problems);
  return [
    {
      path,
      pattern: prefixPattern(first[0], below, problems),
      conditions: compileConditions(first[1], below, problems),
    },
  ];
}
