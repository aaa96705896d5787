/**
 * Reads one argument word as Salt reads it: YAML where it clearly is YAML, the text itself wherever that is in doubt.
 *
 * The order matters: the exceptions first, then the parse, then what a parse may not turn a word into.
 *
 * Spec: spec/config.md#words. The original's behaviour: compat/cases/cli_args.jsonl.
 */
import { isList, isMap, type Value } from '@natrium/model';
import { BLANK, SPACE } from './python-space.js';
import { MALFORMED, readPlainWord } from './scalars.js';
import { readWord } from './yaml11.js';

/** A run of blanks is looked at from its beginning alone: from each of them, a long one would cost its square. */
const TRIM = new RegExp(`^${SPACE}|(?<!${BLANK})${SPACE}$`, 'g');

/** Most words are one plain scalar beyond doubt: no colon, no `#`, an ordinary beginning, no blank at the end. They need no parser. */
const PLAIN = /^(?!-(?: |$)|---|\.\.\.)[\w./+-](?:[ !"$-9;-~]*[!"$-9;-~])?$/;

/** A word's value; what is not text stays as it is. Never fails: a word that is not YAML is text. */
export function yamlify(word: Value): Value {
  if (typeof word !== 'string' || staysText(word)) return word;
  if (word === 'None') return null;
  const parsed = PLAIN.test(word) ? readPlainWord(word) : readWord(word);
  return parsed === undefined || parsed === MALFORMED || loses(word, parsed) ? word : parsed;
}

/** Whether a word is text whatever it says: it is not read as YAML at all. Costs no more than its length. */
export function staysText(word: string): boolean {
  const trimmed = word.replace(TRIM, '');
  if (['', '---', '...'].includes(trimmed)) return true;
  // Digits with underscores are names more often than numbers.
  if (trimmed.includes('_') && /^[0-9_]+$/.test(trimmed)) return true;
  // Line breaks, also those that only YAML 1.1 knows, would be folded.
  return /[\t\r\n\x85\u2028\u2029]/.test(word);
}

/** Tells whether reading the word as `parsed` would lose part of what was typed. */
function loses(word: string, parsed: Value): boolean {
  // A comment would be dropped silently.
  if (word.includes('#')) return parsed === null || typeof parsed === 'string';
  // Block style ("- a", "a: b") is prose more often than data.
  if (isMap(parsed)) return !word.startsWith('{');
  if (isList(parsed)) return !word.startsWith('[');
  return ['|', '!'].includes(word);
}
