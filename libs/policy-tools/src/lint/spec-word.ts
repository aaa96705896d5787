/** The word of an `@` entry: a side (`runner`, `wheels`), or the name of a module; anything else opens nothing. */
import type { KnownModules } from '../policy-view.js';

const SIDES = ['runner', 'runners', 'wheel', 'wheels'];

export function isSide(word: string): boolean {
  return SIDES.includes(word);
}

const SHAPE = "write '@runner', '@wheel' or '@' and the name of a module";

export interface DeadWord {
  readonly message: string;
  readonly mend: string;
}

/** Why an `@` entry with this word opens nothing, and what to write instead; undefined: it opens something, or nobody knows. */
export function deadWord(word: string, modules: KnownModules | undefined): DeadWord | undefined {
  const mend = deadMend(word);
  if (mend !== undefined) return { message: `'@${word}' opens nothing`, mend };
  if (isSide(word) || modules === undefined || modules.names.has(word)) return undefined;
  const near = modules.nearest(word, [...SIDES, ...modules.names]);
  return {
    message: `no runner or wheel module is called '${word}'`,
    mend: near === undefined ? "write '@' and the name of a module" : `did you mean '@${near}'?`,
  };
}

function deadMend(word: string): string | undefined {
  const meant = word.trim().toLowerCase();
  if (isSide(word)) return undefined;
  if (isSide(meant)) return `did you mean '@${meant}'?`;
  if (/^\w+$/.test(word)) return undefined;
  const [, module, fun] = /^(\w+)\.(\w+)$/.exec(meant) ?? [];
  return module === undefined || fun === undefined
    ? SHAPE
    : `write {'@${module}': ['${fun}${isSide(module) ? '\\.' : '$'}']}`;
}
