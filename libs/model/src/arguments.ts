/** Arguments of one function as they travel: positional values, then at most one map of named ones with `__kwarg__: true`. */
import { isMap, type Value, type ValueMap } from './value.js';

export const KWARG_MARK = '__kwarg__';

export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ValueMap;
}

/** Only a last element that is a mapping with the key `__kwarg__` counts as named arguments (any value of it). */
export function splitArguments(sent: readonly Value[]): Arguments {
  const last = sent.at(-1);
  if (!isMap(last) || !Object.hasOwn(last, KWARG_MARK)) return { positional: sent, named: {} };
  return { positional: sent.slice(0, -1), named: withoutMark(last) };
}

export function withoutMark(map: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== KWARG_MARK));
}

/**
 * What a function was called with, as Salt tells it with a return, in `fun_args` and `__pub_arg`: keywords are a map, and the last. A job
 * itself (`arg`, `Arguments`) is told as it was sent.
 */
export function funArgs(sent: readonly Value[]): readonly Value[] {
  const { positional, named } = splitArguments(sent);
  return Object.keys(named).length === 0 ? [...positional] : [...positional, named];
}

export function joinArguments({ positional, named }: Arguments): readonly Value[] {
  if (Object.keys(named).length === 0) return positional;
  return [...positional, { [KWARG_MARK]: true, ...named }];
}
