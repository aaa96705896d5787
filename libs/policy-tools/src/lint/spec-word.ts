/** The word of an `@` entry: a side (`runner`, `wheels`), or the name of a module; anything else opens nothing. */
const SIDES = ['runner', 'runners', 'wheel', 'wheels'];

export function isSide(word: string): boolean {
  return SIDES.includes(word);
}

/** Why an `@` entry with this word opens nothing, as what to write instead; undefined: it opens something. */
export function deadWordMend(word: string): string | undefined {
  const meant = word.trim().toLowerCase();
  if (isSide(word)) return undefined;
  if (isSide(meant)) return `did you mean '@${meant}'?`;
  if (/^\w+$/.test(word)) return undefined;
  const [, module, fun] = /^(\w+)\.(\w+)$/.exec(meant) ?? [];
  return module === undefined || fun === undefined
    ? "write '@runner', '@wheel' or '@' and the name of a module"
    : `write {'@${module}': ['${fun}$']}`;
}
