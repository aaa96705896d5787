/**
 * Shell globs as Python's `fnmatch` reads them: `*`, `?`, `[seq]`, `[!seq]`; no braces, no escape character, case sensitive, whole text.
 *
 * Spec: spec/targeting.md#glob.
 */
import { err, ok, type Result } from '@natrium/model';
import { type PatternProblem } from './pattern-syntax.js';

const MAX_GLOB = 1024;

export interface Glob {
  readonly source: string;
  /** The one text that matches, when there is no wildcard at all. */
  readonly literal: string | undefined;
  /** How many of its characters may be tried on each of a text. */
  readonly work: number;
  readonly test: (text: string) => boolean;
}

type Step =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'any' | 'star' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] };

/** Every text up to 1 KiB is a glob. */
export function compileGlob(text: string): Result<Glob, PatternProblem> {
  if (text.length > MAX_GLOB) {
    return err({ pattern: `${text.slice(0, 40)}...`, reason: `it is longer than ${String(MAX_GLOB)} characters` });
  }
  return ok(makeGlob(text));
}

function makeGlob(source: string): Glob {
  if (!/[*?[]/.test(source)) return { source, literal: source, work: 1, test: (text) => text === source };
  if (!/[?[]/.test(source)) return { source, literal: undefined, work: 1, test: starTest(source.split('*')) };
  const steps = stepsOf(Array.from(source));
  return {
    source,
    literal: undefined,
    work: steps.reduce((sum, step) => sum + workOf(step), 0),
    test: stepTest(steps),
  };
}

/** Stars only: the pieces between them must be found one after the other, each as early as possible. */
function starTest(pieces: readonly string[]): (text: string) => boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const fixed = first.length + last.length;
  return (text) => {
    if (text.length < fixed || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at + last.length <= text.length;
  };
}

function stepsOf(chars: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    const close = char === '[' ? closingBracket(chars, at) : -1;
    if (close > 0) {
      steps.push(setOf(chars.slice(at + 1, close)));
      at = close;
    } else if (char === '*') {
      if (steps.at(-1)?.kind !== 'star') steps.push({ kind: 'star' });
    } else {
      steps.push(char === '?' ? { kind: 'any' } : { kind: 'char', code: codeOf(char) });
    }
  }
  return steps;
}

/** A `]` right after `[` or `[!` belongs to the set; no closing bracket makes the opening one literal. */
function closingBracket(chars: readonly string[], open: number): number {
  let from = open + 1;
  if (chars[from] === '!') from += 1;
  if (chars[from] === ']') from += 1;
  return chars.indexOf(']', from);
}

function setOf(content: readonly string[]): Step {
  const negated = content[0] === '!';
  const members = negated ? content.slice(1) : content;
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = codeOf(members[at]);
    const isRange = members[at + 1] === '-' && members[at + 2] !== undefined;
    ranges.push([from, isRange ? codeOf(members[at + 2]) : from]);
    if (isRange) at += 2;
  }
  return { kind: 'set', negated, ranges };
}

function codeOf(char: string | undefined): number {
  return char?.codePointAt(0) ?? -1;
}

/** The last star is the only one ever returned to, so the work is at most length times length. */
function stepTest(steps: readonly Step[]): (text: string) => boolean {
  const onlyStars = steps.map((_, index) => steps.slice(index).every(isStar));
  return (text) => {
    let step = 0;
    let star = -1;
    let resume = 0;
    let at = 0;
    while (at < text.length) {
      const now = steps[step];
      const code = text.codePointAt(at) ?? 0;
      if (now !== undefined && isStar(now)) {
        star = step;
        step += 1;
        resume = at;
      } else if (now !== undefined && accepts(now, code)) {
        step += 1;
        at += width(code);
      } else if (star >= 0) {
        step = star + 1;
        resume += width(text.codePointAt(resume) ?? 0);
        at = resume;
      } else return false;
    }
    return onlyStars[step] ?? true;
  };
}

function workOf(step: Step): number {
  return step.kind === 'set' ? step.ranges.length : 1;
}

function isStar(step: Step): boolean {
  return step.kind === 'star';
}

function width(code: number): number {
  return code > 0xffff ? 2 : 1;
}

function accepts(step: Step, code: number): boolean {
  if (step.kind === 'char') return step.code === code;
  if (step.kind === 'set') return step.ranges.some(([from, to]) => from <= code && code <= to) !== step.negated;
  return true;
}
