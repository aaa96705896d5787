/**
 * Compound expressions: one parser for requests, permitted targets and the minion's own view.
 *
 * `and` binds tighter than `or`; `A not B` means `A and not B`; `not` covers the next term or group and is never doubled.
 * Diverges: a missing closing parenthesis is an error everywhere (compat/divergences.md, master-and-minion-views-differ).
 *
 * Spec: spec/targeting.md#compound. The original's behaviour: compat/cases/compound.jsonl.
 */
import { err, ok, pyStr, type Result, type Value } from '@natrium/model';
import { OPERATORS, parseCompoundWord } from './compound-words.js';
import { MAX_WORDS, type NodeGroups, nodeGroupWords } from './node-group.js';
import type { TargetProblem } from './target-problem.js';
import type { Term } from './term.js';

export type Expr =
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
  | {
      readonly kind: 'not';
      readonly item: Expr;
      /** Whether it stands right before its term; a list there reports no missing ids. */
      readonly direct: boolean;
    };

export type TermOf = (word: string) => Result<Term, TargetProblem>;

export interface CompoundContext {
  readonly groups: NodeGroups;
  readonly termOf: TermOf;
}

const MAX_DEPTH = 200;

export function parseCompound(words: readonly Value[], context: CompoundContext): Result<Expr, TargetProblem> {
  try {
    return ok(new Parser(expandGroups(words, context.groups), context.termOf).whole());
  } catch (error) {
    if (error instanceof CompoundError) return err({ reason: error.message });
    throw error;
  }
}

class CompoundError extends Error {
  override readonly name = 'CompoundError';
}

/**
 * A group that is unknown, or comes to nothing, leaves no word behind; one that is unreadable spoils the expression. Each is read
 * once, however often it is named, and not beyond what an expression may have.
 */
function expandGroups(words: readonly Value[], groups: NodeGroups): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const expanded: string[] = [];
  for (const word of words.map(textOf)) {
    const { engine, pattern } = parseCompoundWord(word);
    if (engine !== 'N') expanded.push(word);
    else {
      const inside = known.get(pattern) ?? wordsOf(pattern, groups);
      known.set(pattern, inside);
      expanded.push(...inside);
    }
    if (expanded.length > MAX_WORDS) throw new CompoundError(`the expression has more than ${String(MAX_WORDS)} words`);
  }
  return expanded;
}

function wordsOf(group: string, groups: NodeGroups): readonly string[] {
  const words = nodeGroupWords(group, groups);
  if (words === undefined) throw new CompoundError(`the node group '${group.slice(0, 80)}' is malformed`);
  return words.map(textOf);
}

function textOf(word: Value): string {
  if (typeof word !== 'string') throw new CompoundError(`'${pyStr(word).slice(0, 80)}' in a node group is no text`);
  return word;
}

class Parser {
  readonly #words: readonly string[];
  readonly #termOf: TermOf;
  /** The same word is the same term: that of a node group may hold thousands of ids. */
  readonly #terms = new Map<string, Term>();
  #at = 0;
  #depth = 0;

  constructor(words: readonly string[], termOf: TermOf) {
    this.#words = words;
    this.#termOf = termOf;
  }

  whole(): Expr {
    if (this.#words.length === 0) throw new CompoundError('the expression is empty');
    const expr = this.#or();
    const left = this.#words[this.#at];
    if (left === ')') throw new CompoundError('a ) closes nothing');
    if (left !== undefined) throw new CompoundError(`there is no operator before '${left}'`);
    return expr;
  }

  #or(): Expr {
    let left = this.#and();
    while (this.#take('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expr {
    let left = this.#factor();
    for (;;) {
      if (this.#take('and')) left = { kind: 'and', left, right: this.#factor() };
      else if (this.#words[this.#at] === 'not') left = { kind: 'and', left, right: this.#factor() };
      else return left;
    }
  }

  #factor(): Expr {
    if (!this.#take('not')) return this.#operand();
    const direct = this.#words[this.#at] !== '(';
    return { kind: 'not', item: this.#operand(), direct };
  }

  #operand(): Expr {
    const word = this.#words[this.#at];
    if (word === undefined) throw new CompoundError('the expression ends where a term is expected');
    this.#at += 1;
    if (word === '(') return this.#group();
    if (OPERATORS.has(word)) throw new CompoundError(`'${word}' stands where a term is expected`);
    return { kind: 'term', term: this.#term(word) };
  }

  #term(word: string): Term {
    const known = this.#terms.get(word);
    if (known !== undefined) return known;
    const term = this.#termOf(word);
    if (!term.ok) throw new CompoundError(term.error.reason);
    this.#terms.set(word, term.value);
    return term.value;
  }

  #group(): Expr {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new CompoundError('the parentheses are nested too deeply');
    const expr = this.#or();
    if (!this.#take(')')) throw new CompoundError('a ( is never closed');
    this.#depth -= 1;
    return expr;
  }

  #take(word: string): boolean {
    if (this.#words[this.#at] !== word) return false;
    this.#at += 1;
    return true;
  }
}
