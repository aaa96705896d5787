/** Which functions somebody means who wants to read about them. */
import { pyStr, type Value } from '@natrium/model';
import type { Library } from './declaration.js';
import { matchesGlob } from './glob.js';

/** A word without a dot names a module, with one a function; either may be a glob, and none means all. */
export function selectFunctions(library: Library, words: readonly Value[]): readonly string[] {
  const globs = words.map(pyStr).map((word) => (word.includes('.') ? word : `${word}.*`));
  return library.list().filter((fun) => globs.length === 0 || globs.some((glob) => matchesGlob(glob, fun)));
}

/** The documentation of those functions, by name. */
export function docsOf(library: Library, words: readonly Value[]): Readonly<Record<string, string>> {
  return Object.fromEntries(selectFunctions(library, words).map((fun) => [fun, library.doc(fun) ?? '']));
}
