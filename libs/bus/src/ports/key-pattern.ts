/** Tells whether a key is under a pattern, as the broker tells it: `*` stands for one word, `>` at the end for one or more. */
export function fitsKey(pattern: string, key: string): boolean {
  return fits(pattern.split('.'), key.split('.'));
}

function fits(pattern: readonly string[], words: readonly string[]): boolean {
  if (pattern.at(-1) === '>')
    return words.length >= pattern.length && fits(pattern.slice(0, -1), words.slice(0, pattern.length - 1));
  return pattern.length === words.length && pattern.every((part, index) => part === '*' || part === words[index]);
}
