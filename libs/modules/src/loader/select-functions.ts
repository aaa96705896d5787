/** Which functions somebody means who wants to read about them. */
import { pyStr, type Value } from '@natrium/model';
import type { Library } from './declaration.js';
import { matchesGlob } from './glob.js';

/** A word names a function, or a module, also with its dot; with a `*` it is a glob of whole names. None means all, as in Salt. */
export function selectFunctions(library: Library, words: readonly Value[]): readonly string[] {
  const globs = words.map(pyStr).map(globOf);
  return library.list().filter((fun) => globs.length === 0 || globs.some((glob) => matchesGlob(glob, fun)));
}

function globOf(word: string): string {
  if (word.includes('*')) return word;
  const module = word.replace(/\.$/, '');
  return module.includes('.') ? module : `${module}.*`;
}

/** The documentation of those functions, by name. */
export function docsOf(library: Library, words: readonly Value[]): Readonly<Record<string, string>> {
  return Object.fromEntries(selectFunctions(library, words).map((fun) => [fun, library.doc(fun) ?? '']));
}
