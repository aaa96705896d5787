/**
 * Texts that a pattern may match, made by reading it superficially.
 *
 * They are candidates and prove nothing: whoever uses one asks the engine first (`provenSamples`).
 */
const MAX_SAMPLES = 8;
const MAX_REPEAT = 20;
const CLASSES: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'x',
  W: '-',
  S: 'x',
  b: '',
  B: '',
  A: '',
  Z: '',
};

/** Samples of a pattern, read as a regular expression and as a glob, that `test` accepts. */
export function provenSamples(source: string, test: (text: string) => boolean): readonly string[] {
  const itself = /^[\w@.-]+$/u.test(source) ? [source] : [];
  return [...new Set([...itself, ...globSamples(source), ...samplesOf(source)])].filter(test);
}

/** The same, read as a regular expression only. */
export function regexSamples(source: string, test: (text: string) => boolean): readonly string[] {
  return [...new Set(samplesOf(source))].filter(test);
}

const PARTS = /\\.|\[[^\]]*\]|./gsu;

/** The group with which a text ends, and what stands before it. */
export function lastGroup(source: string): { readonly before: string; readonly inside: string } | undefined {
  let depth = 0;
  let start = 0;
  let isLast = false;
  for (const { 0: part, index } of source.matchAll(PARTS)) {
    if (part === '(' && depth === 0) start = index;
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    isLast = part === ')' && depth === 0;
  }
  if (!isLast) return undefined;
  const inside = source.slice(start + 1, -1).replace(/^\?(?:[a-zA-Z]*:|P?<\w+>)/, '');
  return inside.startsWith('?') ? undefined : { before: source.slice(0, start), inside };
}

/** Branches outside of any parentheses and sets. */
export function branchesOf(source: string): readonly string[] {
  const branches = [''];
  let depth = 0;
  for (const [part] of source.matchAll(PARTS)) {
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (part === '|' && depth === 0) branches.push('');
    else branches.push((branches.pop() ?? '') + part);
  }
  return branches;
}

function samplesOf(regex: string): readonly string[] {
  return new Reader(regex).whole();
}

function globSamples(glob: string): readonly string[] {
  const filled = glob.replace(/\[!?([^\]])[^\]]*\]/gu, '$1').replaceAll('?', 'x');
  return /[\\()|+^$]|\.\*/.test(glob) ? [] : [filled.replaceAll('*', ''), filled.replaceAll('*', '1')];
}

class Reader {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#chars = Array.from(text);
  }

  whole(): readonly string[] {
    const found: string[] = [];
    while (this.#at < this.#chars.length) {
      found.push(...this.#choice());
      this.#at += 1; // a ) that closes nothing
    }
    return found.length === 0 ? [''] : found;
  }

  #choice(): readonly string[] {
    const found = [...this.#sequence()];
    while (this.#take('|')) found.push(...this.#sequence());
    return found;
  }

  #sequence(): readonly string[] {
    let found: readonly string[] = [''];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      const items = this.#repeated(this.#atom());
      found = found.flatMap((start) => items.map((item) => start + item)).slice(0, MAX_SAMPLES);
    }
    return found;
  }

  #repeated(items: readonly string[]): readonly string[] {
    if (this.#take('*') || this.#take('?')) {
      this.#lazy();
      return [...items, ''];
    }
    if (this.#take('+')) {
      this.#lazy();
      return items;
    }
    const counts = /^\{(\d*)(?:,\d*)?\}/.exec(this.#chars.slice(this.#at, this.#at + 12).join(''));
    if (counts === null || counts[0] === '{}') return items;
    this.#at += counts[0].length;
    this.#lazy();
    return items.map((item) => item.repeat(Math.min(Number(counts[1] ?? '0'), MAX_REPEAT)));
  }

  #lazy(): void {
    if (!this.#take('?')) this.#take('+');
  }

  #atom(): readonly string[] {
    const char = this.#next();
    // Where somebody wrote a dot between words they meant one.
    if (char === '.') return /[*+?{]/.test(this.#peek() ?? '') ? ['x'] : ['.'];
    if (char === '^' || char === '$') return [''];
    if (char === '\\') return [this.#escape()];
    if (char === '[') return [this.#set()];
    return char === '(' ? this.#group() : [char];
  }

  #escape(): string {
    const char = this.#next();
    return CLASSES[char] ?? char;
  }

  #group(): readonly string[] {
    const rest = this.#chars.slice(this.#at, this.#at + 80).join('');
    const flags = /^\?[a-zA-Z]+\)/.exec(rest);
    if (flags !== null) {
      this.#at += flags[0].length;
      return [''];
    }
    const opening = /^\?(?::|[a-zA-Z]*:|P?<\w+>|[=!])/.exec(rest)?.[0] ?? '';
    this.#at += opening.length;
    const inside = this.#choice();
    this.#take(')');
    return /^\?[=!]/.test(opening) ? [''] : inside.slice(0, MAX_SAMPLES);
  }

  #set(): string {
    const negated = this.#take('^');
    const members: string[] = [];
    do members.push(this.#take('\\') ? this.#escape() : this.#next());
    while (this.#peek() !== undefined && this.#peek() !== ']');
    this.#take(']');
    const [first = ''] = members;
    return negated ? (['x', '1', '-', '.'].find((char) => !members.includes(char)) ?? 'q') : first;
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #next(): string {
    const char = this.#chars[this.#at] ?? '';
    this.#at += 1;
    return char;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }
}
