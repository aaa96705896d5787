/**
 * One term of a target, as a function of a minion. A term about data that nobody has reported is neither true nor false; whoever
 * resolves says what that counts as.
 *
 * Spec: spec/targeting.md#unknown-data.
 */
import { err, ok, type Result, type Value } from '@natrium/model';
import { parseAddress, parseNetwork } from './address.js';
import { compileDataExpression, type DataMode } from './data-expression.js';
import { compileGlob } from './glob.js';
import type { MinionData } from './inventory.js';
import { compilePattern } from './pattern.js';
import type { PatternProblem } from './pattern-syntax.js';
import type { Room } from './room.js';
import type { TargetProblem } from './target-problem.js';

/** undefined: unknown. */
export type Truth = boolean | undefined;

export interface Subject {
  readonly id: string;
  readonly data: MinionData | null | undefined;
  /** What a term about unknown data is: true for a request, undefined for a permission, false for the cache alone. */
  readonly unknown: Truth;
  /** False for a stale id: no term about ids holds for it. */
  readonly accepted: boolean;
  /** What may be done about its data, by all terms together. */
  readonly room: Room;
}

export interface Term {
  readonly test: (subject: Subject) => Truth;
  /** The one id that a glob without wildcards matches. */
  readonly only?: string;
  /** The ids that a list names, in order. */
  readonly names?: readonly string[];
  /** A defect that makes the term match nobody (or only unknown data) without spoiling the expression; in a permission it is unknown. */
  readonly problem?: TargetProblem;
  readonly usesData: boolean;
  readonly guessesPillar?: boolean;
  /** What trying it on a minion costs, in tests of a plain name; 1 unless said. */
  readonly work?: number;
  /** What its patterns take to be made and kept, as `Pattern` has it; 0 unless said. */
  readonly size?: number;
}

export function globTerm(text: string): Result<Term, TargetProblem> {
  const glob = compileGlob(text);
  if (!glob.ok) return err(patternProblem(glob.error));
  const { literal, work, test } = glob.value;
  return ok({
    test: ({ id, accepted }) => accepted && test(id),
    usesData: false,
    work,
    ...(literal === undefined ? {} : { only: literal }),
  });
}

export function pcreTerm(text: string): Result<Term, TargetProblem> {
  const pattern = compilePattern(text, { mode: 'prefix' });
  if (!pattern.ok) return err(patternProblem(pattern.error));
  const { work, size, test } = pattern.value;
  return ok({ test: ({ id, accepted }) => accepted && test(id), usesData: false, work, size });
}

export function listTerm(names: readonly string[]): Term {
  let members: ReadonlySet<string> | undefined;
  const test = ({ id, accepted }: Subject): boolean => {
    members ??= new Set(names);
    return accepted && members.has(id);
  };
  return { test, names, usesData: false };
}

/** Of a glob: a bracket that nothing closes is itself. */
const WILDCARD = /[*?]|\[!?\]?[^\]]*\]/;

/** Following a path to a value, beside what the value costs. */
const DATA_WORK = 3;

export interface DataTermOptions {
  readonly side: 'grains' | 'pillar';
  readonly mode: DataMode;
  readonly delimiter: string;
}

export function dataTerm(text: string, { side, mode, delimiter }: DataTermOptions): Term {
  const expression = compileDataExpression(text, mode, delimiter);
  const problem = expression.problem === undefined ? noDelimiter(text, delimiter) : patternProblem(expression.problem);
  return {
    test: ({ data, unknown, room }) => {
      if (data === undefined) return unknown;
      // Only a permission is strict: neither a defect nor a broken pillar file may make its `not` true.
      const inDoubt = problem !== undefined || (side === 'pillar' && data?.pillarInDoubt === true);
      if (unknown === undefined && inDoubt) return undefined;
      if (data === null) return false;
      const isMeant = expression.test(data[side], room);
      return isMeant || !room.isSpent ? isMeant : unknown;
    },
    usesData: true,
    work: DATA_WORK + expression.work,
    size: expression.size,
    guessesPillar: side === 'pillar' && (mode === 'pcre' || (mode === 'glob' && WILDCARD.test(text))),
    ...(problem === undefined ? {} : { problem }),
  };
}

function noDelimiter(text: string, delimiter: string): TargetProblem | undefined {
  if (text.includes(delimiter)) return undefined;
  return { reason: `'${shorten(text)}' has no '${delimiter}' between key and value`, isMild: true };
}

/** An address that is none makes the term false for everyone, also where data is unknown; a permission's `not` is not true by it. */
export function addressTerm(text: string): Term {
  const address = parseAddress(text);
  if (address !== undefined) return addressed(address.family, (item) => item === address.text, address.text);
  const network = parseNetwork(text);
  if (network === undefined) {
    return {
      test: ({ unknown }) => (unknown === undefined ? undefined : false),
      usesData: true,
      problem: { reason: `'${shorten(text)}' is neither an address nor a network without host bits` },
    };
  }
  return addressed(network.family, network.contains);
}

function addressed(family: 'ipv4' | 'ipv6', matches: (item: string) => boolean, within?: string): Term {
  const test = (data: MinionData): boolean => {
    const found: Value | undefined = Object.hasOwn(data.grains, family) ? data.grains[family] : undefined;
    if (typeof found === 'string') return within === undefined ? matches(found) : found.includes(within);
    return Array.isArray(found) && found.some((item) => typeof item === 'string' && matches(item));
  };
  return { test: ({ data, unknown }) => (data === undefined ? unknown : data !== null && test(data)), usesData: true };
}

function patternProblem({ pattern, reason, isMild }: PatternProblem & Pick<TargetProblem, 'isMild'>): TargetProblem {
  const problem = { reason: `the pattern '${shorten(pattern)}' cannot be used: ${reason}` };
  return isMild === true ? { ...problem, isMild } : problem;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
