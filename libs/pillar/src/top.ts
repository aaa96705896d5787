/**
 * Top files: which minion gets which pillar files. Each entry is a target and a list of names, with `match`, `order` and
 * `ignore_missing` among them. As in Salt, a target without `match` is a compound expression, of which a glob is the simplest.
 *
 * An entry that is wrong in any part gives nothing, and so does one that mentions pillar: pillar is not known yet.
 */
import { err, isList, isMap, ok, type Result, type Value } from '@natrium/model';
import {
  expandNodeGroup,
  type NodeGroups,
  parseCompoundWord,
  parseTarget,
  splitWords,
  type TargetExpr,
} from '@natrium/matchers';
import type { PillarProblem } from './pillar-files.js';
import type { ReadSls } from './read-sls.js';
import { pathsOf } from './sls-name.js';

export interface TopEntry {
  readonly target: TargetExpr;
  readonly names: readonly string[];
  readonly order: number;
  readonly ignoreMissing: boolean;
  readonly file: string;
  readonly line: number;
}

/** By environment, by target; undefined: the entry has a problem. A later file replaces the entry of a target whole. */
export type Top = Map<string, Map<string, TopEntry | undefined>>;

const MATCHES = new Set(['glob', 'pcre', 'list', 'grain', 'grain_pcre', 'ipcidr', 'nodegroup', 'compound']);

export function addTop(top: Top, { file, value, lineOf }: ReadSls, groups: NodeGroups): readonly PillarProblem[] {
  const problems: PillarProblem[] = [];
  for (const [environment, targets] of Object.entries(value)) {
    if (!isMap(targets)) {
      problems.push({
        file,
        line: lineOf([environment]),
        reason: `environment ${environment} is not a mapping of targets`,
      });
      continue;
    }
    const entries = top.get(environment) ?? new Map<string, TopEntry | undefined>();
    top.set(environment, entries);
    for (const [text, items] of Object.entries(targets)) {
      const line = lineOf([environment, text]);
      const entry = readEntry(text, items, groups);
      if (!entry.ok)
        problems.push({ file, line, reason: `the target '${text.slice(0, 80)}' is passed over: ${entry.error}` });
      entries.set(text, entry.ok ? { ...entry.value, file, line } : undefined);
    }
  }
  return problems;
}

function readEntry(text: string, items: Value, groups: NodeGroups): Result<Omit<TopEntry, 'file' | 'line'>, string> {
  if (!isList(items)) return err('it has no list of names');
  const names = items.filter((item) => typeof item === 'string');
  const noName = names.find((name) => pathsOf(name) === undefined);
  if (noName !== undefined) return err(`'${noName.slice(0, 80)}' is not a name like a.b`);
  const options = optionsIn(items.filter((item) => typeof item !== 'string'));
  if (options === undefined) return err('beside names there may be `match`, `order` and `ignore_missing`, each once');
  const { match = 'compound', order = 0, ignore_missing: ignoreMissing = false } = options;
  if (typeof match !== 'string' || typeof order !== 'number' || typeof ignoreMissing !== 'boolean') {
    return err('`match` is a word, `order` a number, `ignore_missing` true or false');
  }
  const target = readTarget(text, match, groups);
  return target.ok ? ok({ target: target.value, names, order, ignoreMissing }) : target;
}

function optionsIn(items: readonly Value[]): Readonly<Record<string, Value>> | undefined {
  const pairs = items.flatMap((item): readonly (readonly [string, Value])[] =>
    isMap(item) ? Object.entries(item) : [['', null]],
  );
  const keys = pairs.map(([key]) => key);
  const known = keys.every((key) => ['match', 'order', 'ignore_missing'].includes(key));
  return known && new Set(keys).size === keys.length ? Object.fromEntries(pairs) : undefined;
}

function readTarget(text: string, match: string, groups: NodeGroups): Result<TargetExpr, string> {
  if (match.startsWith('pillar')) return err('who gets pillar cannot depend on pillar');
  if (!MATCHES.has(match)) return err(`there is no match '${match.slice(0, 40)}' here`);
  const unfit = whyUnfit(text, match, groups);
  if (unfit !== undefined) return err(unfit);
  const target = parseTarget({ tgt: text, tgtType: match }, { nodegroups: groups });
  if (!target.ok) return err(target.error.reason);
  // A defective part counts as false, and `not` would turn it into everyone.
  const [defect] = target.value.problems;
  return defect === undefined ? ok(target.value) : err(defect.reason);
}

/** What the parser would let pass: pillar, also inside of node groups, and groups that come to nothing. */
function whyUnfit(text: string, match: string, groups: NodeGroups): string | undefined {
  if (match !== 'compound' && match !== 'nodegroup') return undefined;
  const words = match === 'nodegroup' ? [`N@${text}`] : splitWords(text);
  for (const word of words.map(parseCompoundWord)) {
    const inside = word.engine === 'N' ? (expandNodeGroup(word.pattern, groups) ?? []).map(parseCompoundWord) : [word];
    if (inside.length === 0) return `there is no usable node group '${word.pattern.slice(0, 80)}'`;
    if (inside.some(({ engine }) => engine === 'I' || engine === 'J')) return 'who gets pillar cannot depend on pillar';
  }
  return undefined;
}
