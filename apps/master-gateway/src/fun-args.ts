import { splitArguments, type Value } from '@natrium/model';

/** What a runner or the wheel was called with, as Salt tells it in answers and on the bus: keywords are a map, and the last. */
export function funArgs(args: readonly Value[]): Value {
  const { positional, named } = splitArguments(args);
  return Object.keys(named).length === 0 ? [...positional] : [...positional, named];
}
