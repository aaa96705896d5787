/** What every family of cases is to the replay: a function from a case to the answer of the real code. */
import type { Inventory } from '@natrium/matchers';
import { isList, isMap, type Target, type Value } from '@natrium/model';
import type { PolicyConfig } from '@natrium/acl';
import { type Case, listOf, mapOf, type PlainMap, textOf, textsOf, valueOf } from '../corpus.js';

export const NOT_BUILT_YET = Symbol('not built yet');

export type Family = (one: Case, inventory: Inventory) => PlainMap | typeof NOT_BUILT_YET | Promise<PlainMap>;

export const DENY: PlainMap = { verdict: 'deny', reply: {} };

/** The access lists of a case; a key under `__absent__` does not exist. */
export function policyConfigOf(config: PlainMap): PolicyConfig {
  const absent = new Set(textsOf(config['__absent__']));
  return Object.fromEntries(
    Object.entries(config)
      .filter(([key]) => key !== '__absent__' && !absent.has(key))
      .map(([key, plain]): readonly [string, Value] => [key, valueOf(plain)]),
  );
}

/**
 * The target of a request. What is neither text nor a list of texts cannot even be sent: it stands for nobody, and in a list of ids for
 * none (`strayIds`).
 */
export function targetOf(request: PlainMap): Target {
  const { tgt, tgt_type: tgtType = 'glob', delimiter } = request;
  const options = delimiter === undefined || delimiter === null ? {} : { delimiter: textOf(delimiter) };
  if (tgt === null || tgt === undefined || typeof tgt === 'string')
    return { tgt: tgt ?? '', tgtType: textOf(tgtType), ...options };
  const ids = listedIds(request);
  if (ids !== undefined) return { tgt: ids.filter((id) => typeof id === 'string'), tgtType: 'list', ...options };
  const texts = textsOf(tgt);
  const sound = Array.isArray(tgt) && texts.length === listOf(tgt).length;
  return sound ? { tgt: texts, tgtType: textOf(tgtType), ...options } : { tgt: [], tgtType: 'glob' };
}

/** What a list of ids holds that is no text: nobody has it. */
export function strayIds(request: PlainMap): readonly Value[] {
  return listedIds(request)?.filter((id) => typeof id !== 'string') ?? [];
}

/** The members of a target that is a list of ids, or the keys of a mapping in its place. */
function listedIds({ tgt, tgt_type: tgtType }: PlainMap): readonly Value[] | undefined {
  const value = tgtType === 'list' ? valueOf(tgt) : null;
  if (isList(value)) return value;
  return isMap(value) ? Object.keys(value) : undefined;
}

/** The functions of a request and each one's arguments. */
export function functionsOf(request: PlainMap): {
  readonly funs: readonly string[];
  readonly args: readonly (readonly Value[])[];
} {
  const { fun, arg } = request;
  if (Array.isArray(fun)) {
    return { funs: listOf(fun).map(textOf), args: listOf(arg).map((one) => listOf(one).map(valueOf)) };
  }
  return { funs: [textOf(fun)], args: [listOf(arg).map(valueOf)] };
}

/** The arguments of a runner or wheel request: positional ones and, in a mapping of their own, named ones. */
export function runArguments(request: PlainMap): readonly Value[] {
  const inner = mapOf(request['kwarg']);
  const positional = listOf(inner['arg'] ?? request['arg']).map(valueOf);
  const named = Object.entries(mapOf(inner['kwarg'])).map(([key, plain]): readonly [string, Value] => [
    key,
    valueOf(plain),
  ]);
  return named.length === 0 ? positional : [...positional, Object.fromEntries([['__kwarg__', true], ...named])];
}
