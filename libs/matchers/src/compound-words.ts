/** Words of a compound expression: operators, terms with a letter before `@`, and plain globs. */
export const OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'not', '(', ')']);

export type Engine = 'G' | 'P' | 'I' | 'J' | 'L' | 'N' | 'S' | 'E' | 'R';

export interface CompoundWord {
  /** undefined: a glob on the id. */
  readonly engine: Engine | undefined;
  /** Only after `G`, `P`, `I`, `J`; undefined when the default counts. */
  readonly delimiter: string | undefined;
  readonly pattern: string;
}

const WORD = /^(?:([GPIJLNSER])(?:(?<=[GPIJ])([^\n]))?@)?([^\n]+)\n?$/u;

/** Reads one word; a letter that is none of ours, or nothing after the `@`, makes the whole word a glob. */
export function parseCompoundWord(word: string): CompoundWord {
  const match = WORD.exec(word);
  const engine = match?.[1];
  if (match === null || !isEngine(engine))
    return { engine: undefined, delimiter: undefined, pattern: match?.[3] ?? word };
  return { engine, delimiter: match[2], pattern: match[3] ?? '' };
}

function isEngine(letter: string | undefined): letter is Engine {
  return letter !== undefined && 'GPIJLNSER'.includes(letter);
}

/** A compound expression's words. */
export { splitAtSpace as splitWords } from '@natrium/args';
