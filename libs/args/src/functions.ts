/** The functions of a request as they travel, several as one word with commas, and the words that belong to each. */
import { isList, type Value } from '@natrium/model';
import { splitAtSpace } from './python-space.js';

/** `test.ping,cmd.run` is two functions. Empty names stay, to be refused. */
export function splitFunctions(fun: string): readonly string[] {
  return fun.split(',');
}

/**
 * Gives each function its own words: a single one all of them; of several, each takes one text that is split at white space, or one list.
 *
 * @returns undefined when a word is neither.
 */
export function wordsByFunction(
  funs: readonly string[],
  words: readonly Value[],
): readonly (readonly Value[])[] | undefined {
  if (funs.length === 1) return [words];
  const each: (readonly Value[])[] = [];
  for (const [index] of funs.entries()) {
    const own = index < words.length ? words[index] : [];
    if (typeof own === 'string') each.push(splitAtSpace(own));
    else if (isList(own)) each.push(own);
    else return undefined;
  }
  return each;
}
