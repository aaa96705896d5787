/**
 * Regular expressions of access lists and targets: Python's syntax, run in linear time.
 *
 * A pattern is read and checked at once; the engine's program is made at the first test, because making it costs a hundred
 * times more than checking and most rules are never asked.
 *
 * Spec: spec/acl.md#patterns. Diverges: compat/divergences.md, regex-syntax-beyond-the-common-subset.
 */
import { err, keepLatest, ok, type Result } from '@natrium/model';
import { RE2JS } from 're2js';
import { markBoundaries } from './pattern-boundary.js';
import { fastTest, type Test } from './pattern-fast.js';
import { firstCodes } from './pattern-first.js';
import { checkShape, checkSize, hasBoundary } from './pattern-limits.js';
import { readPattern } from './pattern-read.js';
import { MAX_PATTERN, type Node, PatternError, type PatternProblem } from './pattern-syntax.js';
import { hasInnerEnd, writePattern, type WriteOptions } from './pattern-write.js';

export interface Pattern {
  readonly source: string;
  /** How many of its characters may be tried on each of a text. */
  readonly work: number;
  /** What the engine's program takes at most: microseconds at the first test, and eight times as many bytes for as long as it is kept. */
  readonly size: number;
  readonly test: (text: string) => boolean;
}

/** `prefix`: from the first character, the end is open (Python's `re.match`). `whole`: the text from end to end. */
export interface PatternOptions {
  readonly mode: 'prefix' | 'whole';
}

/** Longer texts are not tested by the engine; no name, id or usual argument comes near. */
const MAX_SUBJECT = 65_536;
/** Where the engine has to look back it is slower. */
const MAX_MARKED = 4096;
const MAX_CACHED = 4096;
/** A larger pattern takes more room than it saves time: whoever chooses targets chooses patterns. */
const MAX_CACHED_SIZE = 4096;
/** Of each character, as often as it is counted, beside the members of sets. */
const CHARACTER_SIZE = 16;
const cache = new Map<string, Result<Pattern, PatternProblem>>();

/**
 * Makes a pattern, or says in words why this text is none.
 *
 * @see spec/acl.md#patterns
 */
export function compilePattern(text: string, { mode }: PatternOptions): Result<Pattern, PatternProblem> {
  const key = mode + text;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = compile(text, mode === 'whole');
  const size = made.ok ? made.value.size : CHARACTER_SIZE * text.length;
  if (size <= MAX_CACHED_SIZE) cache.set(key, made);
  keepLatest(cache, MAX_CACHED);
  return made;
}

function compile(text: string, whole: boolean): Result<Pattern, PatternProblem> {
  if (text.length > MAX_PATTERN) {
    return err({ pattern: `${text.slice(0, 40)}...`, reason: `it is longer than ${String(MAX_PATTERN)} characters` });
  }
  try {
    return ok({ source: text, ...testOf(text, whole) });
  } catch (error) {
    if (error instanceof PatternError) return err({ pattern: text, reason: error.message });
    throw error;
  }
}

function testOf(text: string, whole: boolean): Omit<Pattern, 'source'> {
  const { node, hasGlobalFlags } = readPattern(text);
  // Python puts its anchor before the flags there, and then refuses them.
  if (whole && hasGlobalFlags) {
    throw new PatternError('flags such as (?i) are not possible where the whole text is matched; write (?i:...)');
  }
  const { work, members, unrolled } = checkSize(node);
  const size = CHARACTER_SIZE * Math.max(text.length, unrolled) + members;
  return { work, size, test: endTest(node, whole) };
}

/**
 * A `$` that something follows: the engine knows no "before the final newline". In a text that does not end in one it is the end, and
 * where that is the only one, a line's end; a text with more of them matches nothing.
 */
function endTest(node: Node, whole: boolean): Test {
  const plain = splitTest(node, { whole, innerEnd: '\\z', marked: false });
  if (!hasInnerEnd(node)) return plain;
  const lineEnd = splitTest(node, { whole, innerEnd: '(?m:$)', marked: false });
  return (subject) =>
    subject.endsWith('\n') ? subject.indexOf('\n') === subject.length - 1 && lineEnd(subject) : plain(subject);
}

function splitTest(node: Node, options: WriteOptions): Test {
  const { looks, rest } = splitLooks(node);
  if (looks.length === 0) return oneTest(rest, options);
  const conditions = looks.map(({ negated, item }) => ({ negated, test: oneTest(item, { ...options, whole: false }) }));
  // In a longer text a look-ahead finds nothing, which is no proof that nothing is there.
  const longest = looks.some(hasBoundary) ? MAX_MARKED : MAX_SUBJECT;
  const [first, others] = firstBranch(rest);
  const tests = { first: oneTest(first, options), others: others === undefined ? undefined : oneTest(others, options) };
  return (subject) =>
    (subject.length <= longest &&
      conditions.every(({ negated, test }) => test(subject) !== negated) &&
      tests.first(subject)) ||
    tests.others?.(subject) === true;
}

type Look = Extract<Node, { kind: 'look' }>;

/** Look-aheads stand only before the first branch; what is left is an ordinary pattern. */
function splitLooks(node: Node): { readonly looks: readonly Look[]; readonly rest: Node } {
  if (node.kind === 'look') return { looks: [node], rest: { kind: 'sequence', items: [] } };
  if (node.kind === 'sequence') {
    const looks = node.items.filter((item) => item.kind === 'look');
    return { looks, rest: { kind: 'sequence', items: node.items.filter((item) => item.kind !== 'look') } };
  }
  if (node.kind !== 'choice') return { looks: [], rest: node };
  const [first, ...others] = node.items;
  if (first === undefined) return { looks: [], rest: node };
  const split = splitLooks(first);
  return { looks: split.looks, rest: { kind: 'choice', items: [split.rest, ...others] } };
}

function firstBranch(rest: Node): readonly [Node, Node | undefined] {
  if (rest.kind !== 'choice') return [rest, undefined];
  const [first, ...others] = rest.items;
  return [first ?? rest, others.length === 0 ? undefined : { kind: 'choice', items: others }];
}

function byFirstLetter(node: Node, test: Test): Test {
  const possible = firstCodes(node);
  if (possible === undefined) return test;
  return (text) => {
    const code = text.length === 0 ? -1 : text.charCodeAt(0);
    return (code > 127 || possible.has(code)) && test(text);
  };
}

function oneTest(node: Node, options: WriteOptions): Test {
  checkShape(node);
  const marked = hasBoundary(node);
  const text = `\\A${marked ? '.' : ''}(?:${writePattern(node, true, { ...options, marked })})${options.whole ? '\\z' : ''}`;
  const test = engineTest(text);
  const slow: Test = marked ? (subject) => subject.length <= MAX_MARKED && test(markBoundaries(subject)) : test;
  return fastTest(node, options.whole, slow) ?? byFirstLetter(node, slow);
}

/** What the engine could refuse was refused before (pattern-limits.ts). */
function engineTest(text: string): Test {
  let program: RE2JS | undefined;
  return (subject) => {
    if (subject.length > MAX_SUBJECT) return false;
    program ??= RE2JS.compile(text, RE2JS.LOOKBEHINDS);
    return program.test(subject);
  };
}
