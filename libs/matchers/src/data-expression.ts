/**
 * Data expressions: `key:sub:...:value` against grains or pillar. The longest key path is tried first, then shorter ones with what
 * remains, delimiters included, as the value; values compare without case by their Python text.
 *
 * Spec: spec/targeting.md#data-expressions. The original's behaviour: compat/cases/data_match.jsonl.
 */
import { isList, isMap, pyStr, type Value, type ValueMap } from '@natrium/model';
import { follow, type KeyPart, keyPart } from './data-path.js';
import { compileGlob } from './glob.js';
import { compilePattern } from './pattern.js';
import type { PatternProblem } from './pattern-syntax.js';
import { Room } from './room.js';

export type DataMode = 'glob' | 'pcre' | 'exact';

export interface DataProblem extends PatternProblem {
  /** The pattern is `*`: as a regular expression it matches no value, and at a mapping it is any key. */
  readonly isMild?: true;
}

export interface DataExpression {
  /** What is wrong with a pattern in it: that part matches nothing. */
  readonly problem: DataProblem | undefined;
  /** How many of its characters may be tried on each of a value. */
  readonly work: number;
  /** What its patterns take to be made and kept. */
  readonly size: number;
  /** @param room When that is spent, what is left is not tried, and nothing matches. */
  readonly test: (data: Value | undefined, room?: Room) => boolean;
}

export const DELIMITER = ':';
/** Of patterns and the like, each of which is tried on everyone. */
export const MAX_TEXT = 8192;
const MAX_PARTS = 32;
const MAX_WILD_PARTS = 4;

export function compileDataExpression(text: string, mode: DataMode, delimiter = DELIMITER): DataExpression {
  const splits = splitsOf(text, delimiter, new Rests(mode));
  if (splits === undefined) return tooLarge(text);
  const { problem, work = 1 } = splits.at(-1) ?? { problem: undefined };
  return {
    problem,
    work,
    size: splits.reduce((sum, { size }) => sum + size, 0),
    test: (data, room = new Room()) => isMap(data) && oneHolds(splits, data, new Tried(room)),
  };
}

/** All ways to cut it, the longest key path first, none with an empty delimiter; undefined when there are too many. */
function splitsOf(text: string, delimiter: string, rests: Rests): readonly Split[] | undefined {
  const parts = delimiter === '' ? [text] : text.split(delimiter);
  const wild = parts.filter((part) => part === '*').length;
  if (text.length > MAX_TEXT || parts.length > MAX_PARTS || wild > MAX_WILD_PARTS) return undefined;
  return parts.slice(1).map((_, index) => new Split(parts, parts.length - 1 - index, { rests, delimiter, text }));
}

function oneHolds(splits: readonly Split[], data: ValueMap, tried: Tried): boolean {
  return splits.some((split) => tried.room.take(1) && split.test(data, tried));
}

function tooLarge(text: string): DataExpression {
  const reason = `a data expression has at most ${String(MAX_TEXT)} characters, ${String(MAX_PARTS)} parts and ${String(MAX_WILD_PARTS)} parts that are *`;
  return { problem: { pattern: `${text.slice(0, 40)}...`, reason }, work: 1, size: 0, test: () => false };
}

interface Whole {
  readonly rests: Rests;
  readonly delimiter: string;
  readonly text: string;
}

/** One way to cut an expression into key path and value. */
class Split {
  readonly #path: readonly KeyPart[] | undefined;
  readonly #rest: Rest;

  constructor(parts: readonly string[], keyParts: number, { rests, delimiter, text }: Whole) {
    const path = parts.slice(0, keyParts);
    // A path that is just `*` stands for the whole of the data, and the expression stays whole.
    this.#path = path.join(delimiter) === '*' ? undefined : path.map(keyPart);
    this.#rest = rests.of(this.#path === undefined ? text : parts.slice(keyParts).join(delimiter));
  }

  get problem(): DataProblem | undefined {
    return this.#rest.problem;
  }

  get work(): number {
    return this.#rest.work;
  }

  get size(): number {
    return this.#rest.size;
  }

  test(data: Value, tried: Tried): boolean {
    const found = this.#path === undefined ? data : follow(data, this.#path, tried.room);
    if (found === undefined) return false;
    if (isMap(found)) return Object.keys(found).length > 0 && this.#rest.inMap(found, tried);
    if (!isList(found)) return this.#rest.matches(found, tried);
    return found.some((item) => (isMap(item) && this.#rest.inMap(item, tried)) || this.#rest.matches(item, tried));
  }
}

/** What may remain of one expression: the same text is the same rest, however it was come by. */
class Rests {
  readonly #known = new Map<string, Rest>();

  constructor(readonly mode: DataMode) {}

  of(text: string): Rest {
    let rest = this.#known.get(text);
    if (rest === undefined) this.#known.set(text, (rest = new Rest(text, this)));
    return rest;
  }
}

/** What was tried at which mapping in one test. Where keys repeat, ways to the same place double with each part of the expression. */
class Tried {
  #at: Map<ValueMap, Set<Rest>> | undefined;

  constructor(readonly room: Room) {}

  /** Whether it was tried there before, without success. */
  has(map: ValueMap, rest: Rest): boolean {
    this.#at ??= new Map();
    const there = this.#at.get(map);
    if (there === undefined) this.#at.set(map, new Set([rest]));
    return there !== undefined && there.size === there.add(rest).size;
  }
}

/** The value side of an expression; at a mapping it may again be a key, an expression, or `*:` and go one level down. */
class Rest {
  readonly #text: string;
  readonly #deep: boolean;
  readonly #below: Rest;
  readonly #value: ValueTest;
  readonly #rests: Rests;
  #splits: readonly Split[] | undefined;

  constructor(text: string, rests: Rests) {
    this.#rests = rests;
    this.#deep = text.startsWith('*:');
    this.#text = this.#deep ? text.slice(2) : text;
    this.#value = valueTest(text, rests.mode);
    this.#below = this.#deep ? rests.of(this.#text) : this;
  }

  /** Where it goes down a level, the pattern is what comes then: `*:` is none, and no value is like it. */
  get problem(): DataProblem | undefined {
    return this.#deep ? this.#below.problem : this.#value.problem;
  }

  get work(): number {
    return this.#deep ? Math.max(this.#value.work, this.#below.work) : this.#value.work;
  }

  get size(): number {
    return this.#deep ? this.#value.size + this.#below.size : this.#value.size;
  }

  matches(value: Value, { room }: Tried): boolean {
    if (!room.take(1)) return false;
    const text = pyStr(value).toLowerCase();
    return room.take(text.length * this.#value.work) && this.#value.test(text);
  }

  inMap(map: ValueMap, tried: Tried): boolean {
    if (this.#text === '*' || Object.hasOwn(map, this.#text)) return true;
    this.#splits ??= splitsOf(this.#text, DELIMITER, this.#rests) ?? [];
    // With one way to cut it, there is nothing to save.
    if ((this.#splits.length > 1 || this.#deep) && tried.has(map, this)) return false;
    return (
      oneHolds(this.#splits, map, tried) ||
      (this.#deep && Object.values(map).some((item) => this.#oneDown(item, tried)))
    );
  }

  #oneDown(item: Value, tried: Tried): boolean {
    if (isMap(item)) return this.#below.inMap(item, tried);
    if (isList(item)) return item.some((member) => this.#below.matches(member, tried));
    return this.#below.matches(item, tried);
  }
}

interface ValueTest {
  readonly problem: DataProblem | undefined;
  readonly work: number;
  readonly size: number;
  readonly test: (text: string) => boolean;
}

/** Both sides are lower-cased, the pattern's own escapes too: `\D` reads as `\d`, as in the original. */
function valueTest(text: string, mode: DataMode): ValueTest {
  const lower = text.toLowerCase();
  if (mode === 'exact') return { problem: undefined, work: 1, size: 0, test: (value) => value === lower };
  const made = mode === 'glob' ? compileGlob(lower) : compilePattern(lower, { mode: 'prefix' });
  if (!made.ok) {
    const problem = lower === '*' ? ({ ...made.error, isMild: true } as const) : made.error;
    return { problem, work: 1, size: 0, test: () => false };
  }
  const { work, test } = made.value;
  return { problem: undefined, work, size: 'size' in made.value ? made.value.size : 0, test: (value) => test(value) };
}
