/**
 * Options as they are spelled on a command line. Long ones may be cut short, as Python's optparse takes them: `--tim 5` is
 * `--timeout 5` while nothing else begins so.
 */
import type { Command, Option } from 'commander';

/** @returns `argv` with each long option that only one name begins with written out; all other words as they are. */
export function writtenOut(argv: readonly string[], command: Command): readonly string[] {
  const out: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return [...out, ...argv.slice(at)];
    const whole = longWrittenOut(word, command);
    out.push(whole);
    if (!takesNextWord(whole, command)) continue;
    // A value is nobody's abbreviation, whatever it looks like.
    at += 1;
    out.push(...argv.slice(at, at + 1));
  }
  return out;
}

/** The spelling of each option in `argv`, the last one, by the option's name; of one cut short its whole name. */
export function typedSpellings(argv: readonly string[], command: Command): ReadonlyMap<string, string> {
  const typed = new Map<string, string>();
  for (let at = 0; at < argv.length && argv[at] !== '--'; at += 1) {
    const word = argv[at] ?? '';
    for (const spelling of spellingsIn(word, command)) {
      const option = optionOf(spelling, command);
      if (option !== undefined) typed.set(option.attributeName(), spelling);
    }
    if (takesNextWord(word, command)) at += 1;
  }
  return typed;
}

/** `--timeout` of `--timeout=5`; `-s` and `-t` of `-st5`. */
export function spellingsIn(word: string, command: Command): readonly string[] {
  if (word.startsWith('--')) return word.split('=', 1);
  if (!word.startsWith('-')) return [];
  const letters = [...word.slice(1)];
  const last = lastLetter(letters, command);
  return letters.slice(0, last === -1 ? letters.length : last + 1).map((letter) => `-${letter}`);
}

/** The options that `word` may mean, sorted; `word` itself where it is one. */
export function candidatesOf(word: string, command: Command): readonly string[] {
  if (!/^--[^=]/.test(word)) return [];
  const [name = ''] = word.split('=', 1);
  const names = ['--help', ...command.options.flatMap(({ short, long }) => [short ?? '', long ?? ''])];
  if (names.includes(name)) return [name];
  return [...new Set(names)].filter((one) => one.startsWith(name)).sort();
}

function longWrittenOut(word: string, command: Command): string {
  const [only, ...more] = candidatesOf(word, command);
  if (only === undefined || more.length > 0) return word;
  const value = word.indexOf('=');
  return value === -1 ? only : only + word.slice(value);
}

function takesNextWord(word: string, command: Command): boolean {
  if (word.startsWith('--')) return optionOf(word, command)?.required === true;
  if (!word.startsWith('-')) return false;
  const letters = [...word.slice(1)];
  const last = lastLetter(letters, command);
  return last === letters.length - 1 && optionOf(`-${letters[last] ?? ''}`, command)?.required === true;
}

/** Of letters in one word the first that takes a value has it in the rest of the word, or next where there is no rest. */
function lastLetter(letters: readonly string[], command: Command): number {
  return letters.findIndex((letter) => optionOf(`-${letter}`, command)?.required !== false);
}

export function optionOf(name: string, command: Command): Option | undefined {
  return command.options.find(({ short, long }) => short === name || long === name);
}
