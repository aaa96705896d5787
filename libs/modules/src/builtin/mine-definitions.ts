/** `mine_functions` as people write them, read into what to run under which name. */
import { isList, isMap, joinArguments, pyStr, type Value, type ValueMap } from '@natrium/model';
import { InvocationError } from '../loader/errors.js';

export interface MineDefinition {
  /** What others ask for: the function itself, or an alias of it. */
  readonly name: string;
  readonly fun: string;
  /** As they travel: positional ones, then the map of named ones with `__kwarg__`. */
  readonly args: readonly Value[];
  /** Who may read it, as a target; empty: every minion. */
  readonly allowTgt: string;
  readonly allowTgtType: string;
}

/** @throws {InvocationError} When it is neither a map by name nor a list. */
export function mineDefinitions(said: Value): readonly MineDefinition[] {
  if (said === null || said === '') return [];
  if (isMap(said)) return Object.entries(said).map(([name, spec]) => definitionOf(name, spec));
  if (!isList(said)) throw new InvocationError('mine_functions must be a map from functions to their arguments');
  return said.flatMap((item) => (isMap(item) ? mineDefinitions(item) : [definitionOf(pyStr(item), null)]));
}

/** A list holds positional arguments and maps of named ones; `mine_function`, `allow_tgt` and `allow_tgt_type` stand among those. */
export function definitionOf(name: string, spec: Value): MineDefinition {
  const items = isList(spec) ? spec : spec === null || spec === '' ? [] : [spec];
  const named: ValueMap = Object.assign({}, ...items.filter(isMap)) as ValueMap;
  const { mine_function: fun = name, allow_tgt: tgt = '', allow_tgt_type: tgtType = 'glob', ...kwargs } = named;
  const positional = items.filter((item) => !isMap(item));
  return {
    name,
    fun: pyStr(fun),
    args: joinArguments({ positional, named: kwargs }),
    allowTgt: isList(tgt) ? tgt.map(pyStr).join(',') : pyStr(tgt ?? ''),
    allowTgtType: pyStr(tgtType ?? 'glob'),
  };
}
