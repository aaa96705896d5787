/**
 * Targets of every type, parsed once into an expression that the master resolves and the minion asks of itself.
 *
 * Spec: spec/targeting.md. The original's behaviour: compat/cases/target.jsonl, compound.jsonl, nodegroup.jsonl.
 */
import { err, isList, ok, type Result, type Target } from '@natrium/model';
import { type Expr, parseCompound } from './compound.js';
import { parseCompoundWord, splitWords } from './compound-words.js';
import { DELIMITER, MAX_TEXT } from './data-expression.js';
import { type NodeGroups, nodeGroupWords } from './node-group.js';
import type { TargetProblem } from './target-problem.js';
import { addressTerm, dataTerm, type DataTermOptions, globTerm, listTerm, pcreTerm, type Term } from './term.js';

export interface TargetExpr {
  readonly root: Expr;
  /** Defects that the original passes over in silence: the target means less than it says. */
  readonly problems: readonly TargetProblem[];
  /** Whether anything in it looks at grains or pillar. */
  readonly usesData: boolean;
  /** Whether a pattern in it is matched against pillar: a way to guess what it holds. */
  readonly guessesPillar: boolean;
  /** Whether what a minion costs depends on its data or on more than a glob. */
  readonly isCostly: boolean;
  /** What trying its terms on a minion costs, in tests of a plain name; 0 when those whom it means are only looked up. */
  readonly work: number;
  /** What its patterns take: microseconds to be made, once somebody is tried, and eight times as many bytes. */
  readonly size: number;
}

export interface TargetContext {
  readonly nodegroups: NodeGroups;
}

/** Of a compound with its lists of ids: one of them costs a look-up, however long it is. */
const MAX_COMPOUND_TEXT = 65_536;
const MAX_LIST_TEXT = 4_194_304;
/** Of all patterns together: half a second. */
const MAX_SIZE = 524_288;

/** Reads a target of any type, or says why nobody can be meant. */
export function parseTarget(target: Target, context: TargetContext): Result<TargetExpr, TargetProblem> {
  const tooLong = overLimit(target);
  if (tooLong !== undefined) return err({ reason: `the target is longer than ${String(tooLong)} characters` });
  const root = parseRoot(target, context);
  if (!root.ok) return root;
  const expr = describe(root.value);
  return expr.size > MAX_SIZE ? err({ reason: 'its patterns, with all that they count, are too large' }) : ok(expr);
}

/** The limit that a target is over. */
function overLimit({ tgt, tgtType }: Target): number | undefined {
  const size = typeof tgt === 'string' ? tgt.length : tgt.reduce((sum, word) => sum + word.length, 0);
  if (tgtType === 'list') return size > MAX_LIST_TEXT ? MAX_LIST_TEXT : undefined;
  if (size <= MAX_TEXT) return undefined;
  if (!isCompound(tgtType)) return MAX_TEXT;
  if (size > MAX_COMPOUND_TEXT) return MAX_COMPOUND_TEXT;
  const words = typeof tgt === 'string' ? splitWords(tgt) : tgt;
  const listed = words.filter((word) => word.startsWith('L@')).reduce((sum, word) => sum + word.length, 0);
  return size - listed > MAX_TEXT ? MAX_TEXT : undefined;
}

function isCompound(tgtType: string): boolean {
  return tgtType === 'compound' || tgtType === 'compound_pillar_exact';
}

function parseRoot(target: Target, { nodegroups }: TargetContext): Result<Expr, TargetProblem> {
  const { tgt, tgtType } = target;
  if (isCompound(tgtType)) {
    const exact = tgtType !== 'compound';
    return parseCompound(typeof tgt === 'string' ? splitWords(tgt) : tgt, {
      groups: nodegroups,
      termOf: (word) => termOf(word, exact),
    });
  }
  if (tgtType === 'list') {
    const names = typeof tgt === 'string' ? tgt.split(',').filter((name) => name !== '') : tgt;
    return leaf(ok(listTerm(names)));
  }
  if (typeof tgt !== 'string') return err({ reason: `a target of type '${tgtType}' is text, not a list` });
  if (tgtType === 'nodegroup') return parseNodeGroup(tgt, nodegroups);
  return leaf(simpleTerm(tgt, tgtType, target.delimiter ?? DELIMITER));
}

function leaf(term: Result<Term, TargetProblem>): Result<Expr, TargetProblem> {
  return term.ok ? ok({ kind: 'term', term: term.value }) : term;
}

function parseNodeGroup(name: string, groups: NodeGroups): Result<Expr, TargetProblem> {
  const definition = groups.get(name);
  if (definition === undefined) return err({ reason: `Node group ${name.slice(0, 80)} unavailable` });
  const words = typeof definition === 'string' || isList(definition) ? nodeGroupWords(name, groups) : undefined;
  if (words === undefined) return err({ reason: `the node group '${name}' is malformed` });
  return parseCompound(words, { groups, termOf: (word) => termOf(word, false) });
}

function simpleTerm(tgt: string, tgtType: string, delimiter: string): Result<Term, TargetProblem> {
  const data = (side: DataTermOptions['side'], mode: DataTermOptions['mode']): Result<Term, TargetProblem> =>
    delimiter === '' ? err({ reason: 'the delimiter is empty' }) : ok(dataTerm(tgt, { side, mode, delimiter }));
  switch (tgtType) {
    case 'glob':
      return globTerm(tgt);
    case 'pcre':
      return pcreTerm(tgt);
    case 'grain':
      return data('grains', 'glob');
    case 'grain_pcre':
      return data('grains', 'pcre');
    case 'pillar':
      return data('pillar', 'glob');
    case 'pillar_pcre':
      return data('pillar', 'pcre');
    case 'pillar_exact':
      return data('pillar', 'exact');
    case 'ipcidr':
      return ok(addressTerm(tgt));
    case 'range':
      return err({ reason: 'there is no range server' });
    default:
      return err({ reason: `there is no target type '${tgtType.slice(0, 40)}'` });
  }
}

/** One word of a compound expression. @param exact Whether pillar compares exactly, whatever the letter says. */
function termOf(word: string, exact: boolean): Result<Term, TargetProblem> {
  const { engine, delimiter = DELIMITER, pattern } = parseCompoundWord(word);
  switch (engine) {
    case 'G':
      return ok(dataTerm(pattern, { side: 'grains', mode: 'glob', delimiter }));
    case 'P':
      return ok(dataTerm(pattern, { side: 'grains', mode: 'pcre', delimiter }));
    case 'I':
      return ok(dataTerm(pattern, { side: 'pillar', mode: exact ? 'exact' : 'glob', delimiter }));
    case 'J':
      return ok(dataTerm(pattern, { side: 'pillar', mode: exact ? 'exact' : 'pcre', delimiter }));
    case 'L':
      return ok(listTerm(pattern.split(',').filter((name) => name !== '')));
    case 'S':
      return ok(addressTerm(pattern));
    case 'E':
      return pcreTerm(pattern);
    case 'R':
      return err({ reason: `there is no range server for '${word.slice(0, 80)}'` });
    case 'N':
      return err({ reason: `Node group ${pattern.slice(0, 80)} unavailable` });
    case undefined:
      return globTerm(pattern);
  }
}

function describe(root: Expr): TargetExpr {
  const terms = addTerms([], root);
  const usesData = terms.some((term) => term.usesData);
  const size = [...new Set(terms)].reduce((sum, term) => sum + (term.size ?? 0), 0);
  return {
    root,
    problems: terms.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    usesData,
    isCostly: usesData || size > 0,
    guessesPillar: terms.some(({ guessesPillar }) => guessesPillar === true),
    size,
    work: isLookedUp(root) ? 0 : terms.reduce((sum, { work = 1 }) => sum + work, 0),
  };
}

function isLookedUp(root: Expr): boolean {
  return root.kind === 'term' && (root.term.names ?? root.term.only) !== undefined;
}

function addTerms(terms: Term[], expr: Expr): Term[] {
  if (expr.kind === 'term') terms.push(expr.term);
  else if (expr.kind === 'not') addTerms(terms, expr.item);
  else addTerms(addTerms(terms, expr.left), expr.right);
  return terms;
}
