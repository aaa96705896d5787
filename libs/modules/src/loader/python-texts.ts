/** Python's own words for wrong arguments; scripts of Salt's users look for them. */
import type { NamedParam } from './declaration.js';

/** `ping() takes 0 positional arguments but 1 was given`. */
export function tooManyText(name: string, positional: readonly NamedParam[], given: number): string {
  const most = positional.length;
  const least = positional.filter((param) => param.default === undefined).length;
  const range = least === most ? String(most) : `from ${String(least)} to ${String(most)}`;
  const noun = most === 1 && least === most ? 'argument' : 'arguments';
  return `${name}() takes ${range} positional ${noun} but ${String(given)} ${given === 1 ? 'was' : 'were'} given`;
}

/** `echo() missing 1 required positional argument: 'text'`. */
export function missingText(name: string, missing: readonly NamedParam[]): string {
  const positional = missing.filter((param) => param.keyword !== true);
  const kind = positional.length > 0 ? 'positional' : 'keyword-only';
  const shown = (positional.length > 0 ? positional : missing).map((param) => `'${param.name}'`);
  const noun = shown.length === 1 ? 'argument' : 'arguments';
  return `${name}() missing ${String(shown.length)} required ${kind} ${noun}: ${enumeration(shown)}`;
}

function enumeration(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ');
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1) ?? ''}`;
}
