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

export type DataMode = 'glob' | 'pcre' | 'exact';

export interface DataExpression {
  /** What is wrong with a pattern in it: that part matches nothing. */
  readonly problem: PatternProblem | undefined;
  readonly test: (data: Value | undefined) => boolean;
}

export const DELIMITER = ':';
/** Of patterns and the like, each of which is tried on everyone. */
export const MAX_TEXT = 8192;
const MAX_PARTS = 32;
const MAX_WILD_PARTS = 4;

export function compileDataExpression(text: string, mode: DataMode, delimiter = DELIMITER): DataExpression {
  const parts = text.split(delimiter);
  const wild = parts.filter((part) => part === '*').length;
  if (text.length > MAX_TEXT || parts.length > MAX_PARTS || wild > MAX_WILD_PARTS) return tooLarge(text);
  const splits = parts
    .slice(1)
    .map((_, index) => new Split(parts, parts.length - 1 - index, { mode, delimiter, text }));
  return {
    problem: splits.at(-1)?.problem,
    test: (data) => isMap(data) && splits.some((split) => split.test(data)),
  };
}

function tooLarge(text: string): DataExpression {
  const reason = `a data expression has at most ${String(MAX_TEXT)} characters, ${String(MAX_PARTS)} parts and ${String(MAX_WILD_PARTS)} parts that are *`;
  return { problem: { pattern: `${text.slice(0, 40)}...`, reason }, test: () => false };
}

interface Whole {
  readonly mode: DataMode;
  readonly delimiter: string;
  readonly text: string;
}

/** One way to cut an expression into key path and value. */
class Split {
  readonly #path: readonly KeyPart[] | undefined;
  readonly #rest: Rest;

  constructor(parts: readonly string[], keyParts: number, { mode, delimiter, text }: Whole) {
    const path = parts.slice(0, keyParts);
    // A path that is just `*` stands for the whole of the data, and the expression stays whole.
    this.#path = path.join(delimiter) === '*' ? undefined : path.map(keyPart);
    this.#rest = new Rest(this.#path === undefined ? text : parts.slice(keyParts).join(delimiter), mode);
  }

  get problem(): PatternProblem | undefined {
    return this.#rest.problem;
  }

  test(data: Value): boolean {
    const found = this.#path === undefined ? data : follow(data, this.#path);
    if (found === undefined) return false;
    if (isMap(found)) return Object.keys(found).length > 0 && this.#rest.inMap(found);
    if (!isList(found)) return this.#rest.matches(found);
    return found.some((item) => (isMap(item) && this.#rest.inMap(item)) || this.#rest.matches(item));
  }
}

/** The value side of an expression; at a mapping it may again be a key, an expression, or `*:` and go one level down. */
class Rest {
  readonly #mode: DataMode;
  readonly #text: string;
  readonly #deep: boolean;
  readonly #below: Rest;
  readonly #value: ValueTest;
  #nested: DataExpression | undefined;

  constructor(text: string, mode: DataMode) {
    this.#mode = mode;
    this.#deep = text.startsWith('*:');
    this.#text = this.#deep ? text.slice(2) : text;
    this.#value = valueTest(text, mode);
    this.#below = this.#deep ? new Rest(this.#text, mode) : this;
  }

  get problem(): PatternProblem | undefined {
    return this.#value.problem;
  }

  matches(value: Value): boolean {
    return this.#value.test(pyStr(value).toLowerCase());
  }

  inMap(map: ValueMap): boolean {
    if (this.#text === '*' || Object.hasOwn(map, this.#text)) return true;
    this.#nested ??= compileDataExpression(this.#text, this.#mode);
    return this.#nested.test(map) || (this.#deep && Object.values(map).some((item) => this.#oneDown(item)));
  }

  #oneDown(item: Value): boolean {
    if (isMap(item)) return this.#below.inMap(item);
    if (isList(item)) return item.some((member) => this.#below.matches(member));
    return this.#below.matches(item);
  }
}

interface ValueTest {
  readonly problem: PatternProblem | undefined;
  readonly test: (text: string) => boolean;
}

/** Both sides are lower-cased, the pattern's own escapes too: `\D` reads as `\d`, as in the original. */
function valueTest(text: string, mode: DataMode): ValueTest {
  const lower = text.toLowerCase();
  if (mode === 'exact') return { problem: undefined, test: (value) => value === lower };
  const made = mode === 'glob' ? compileGlob(lower) : compilePattern(lower, { mode: 'prefix' });
  return made.ok
    ? { problem: undefined, test: (value) => made.value.test(value) }
    : { problem: made.error, test: () => false };
}
