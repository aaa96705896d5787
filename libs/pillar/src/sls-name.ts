/**
 * Names of pillar files: `a.b` is `a/b.sls` or `a/b/init.sls`, and nothing else. No name reaches a parent folder, a hidden
 * file or another place.
 */

/** One word of a name: also all that a folder on the way to a file may be called. */
export const SLS_WORD = /^[A-Za-z0-9_-]{1,100}$/;

const MAX_WORDS = 16;

/** The paths of a name, the first that exists counts. @returns undefined when it is no name. */
export function pathsOf(name: string): readonly string[] | undefined {
  const words = name.split('.');
  if (words.length > MAX_WORDS || !words.every((word) => SLS_WORD.test(word))) return undefined;
  const path = words.join('/');
  return [`${path}.sls`, `${path}/init.sls`];
}
