/**
 * Binds the arguments that were sent to the parameters that are declared, as Python would, in Python's words.
 *
 * Nothing is parsed here: the gate approved these very values, and what runs is what was approved.
 */
import {
  type Arguments,
  err,
  joinArguments,
  KWARG_MARK,
  ok,
  pyStr,
  type Result,
  splitArguments,
  type Value,
  type ValueMap,
} from '@natrium/model';
import { coerce, wantedText } from './coerce.js';
import type { NamedParam, Param } from './declaration.js';
import { isKwargs, isNamed, isRest } from './param-kinds.js';
import { missingText, tooManyText } from './python-texts.js';

/** `keywords`: names that the function does not have. `arguments`: too many, too few, or of a wrong kind. */
export interface ArgumentFault {
  readonly kind: 'keywords' | 'arguments';
  readonly sentence: string;
}

type Bound = Result<ValueMap, ArgumentFault>;

/**
 * One value for each parameter, or why the call cannot be made.
 *
 * @param fun Full name; Python's texts use the part after the last dot.
 * @param extra Further named arguments for a function that takes any (`__pub_…`).
 */
export function bindArguments(
  fun: string,
  params: readonly Param[],
  sent: readonly Value[],
  extra: ValueMap = {},
): Bound {
  const given = splitArguments(sent);
  const unknown = unknownNames(params, given.named);
  if (unknown.length > 0) {
    return fault('keywords', `The following keyword arguments are not valid: ${unknown.join(', ')}`);
  }
  return bindKnown(fun.slice(fun.lastIndexOf('.') + 1), params, given, extra);
}

/** What was sent, without the names that the function does not have. */
export function knownArguments(params: readonly Param[], sent: readonly Value[]): readonly Value[] {
  if (params.some(isKwargs)) return sent;
  const { positional, named } = splitArguments(sent);
  const known = new Set(params.filter(isNamed).map((param) => param.name));
  return joinArguments({
    positional,
    named: Object.fromEntries(Object.entries(named).filter(([name]) => known.has(name))),
  });
}

function bindKnown(name: string, params: readonly Param[], given: Arguments, extra: ValueMap): Bound {
  const named = params.filter(isNamed);
  const positional = named.filter((param) => param.keyword !== true);
  const rest = params.find(isRest);
  if (rest === undefined && given.positional.length > positional.length) {
    return fault('arguments', tooManyText(name, positional, given.positional.length));
  }
  const twice = positional.slice(0, given.positional.length).find((param) => Object.hasOwn(given.named, param.name));
  if (twice !== undefined) return fault('arguments', `${name}() got multiple values for argument '${twice.name}'`);
  const values = collect(named, positional, given);
  const missing = named.filter((param) => !values.has(param.name) && param.default === undefined);
  if (missing.length > 0) return fault('arguments', missingText(name, missing));
  if (rest !== undefined) values.set(rest.rest, given.positional.slice(positional.length));
  const kwargs = params.find(isKwargs);
  if (kwargs !== undefined) values.set(kwargs.kwargs, { ...furtherNames(named, given.named), ...extra });
  return checkTypes(name, named, values);
}

function collect(
  named: readonly NamedParam[],
  positional: readonly NamedParam[],
  given: Arguments,
): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [index, param] of positional.entries()) {
    const value = given.positional[index];
    if (value !== undefined) values.set(param.name, value);
  }
  for (const { name } of named) {
    const value = Object.hasOwn(given.named, name) ? given.named[name] : undefined;
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

/** A `null` for a parameter with another default means that default; a text for the type is read by `coerce`. */
function checkTypes(name: string, named: readonly NamedParam[], values: Map<string, Value>): Bound {
  for (const param of named) {
    const value = orDefault(param, values.get(param.name));
    const read = value === null && param.default === null ? null : coerce(param.type, value);
    if (read === undefined) {
      return fault('arguments', `${name}() argument '${param.name}' must be ${wantedText(param.type)}`);
    }
    values.set(param.name, read);
  }
  return ok(Object.fromEntries(values));
}

function orDefault(param: NamedParam, value: Value | undefined): Value {
  const absent = value === undefined || (value === null && param.type !== 'any');
  return absent && param.default !== undefined ? param.default : (value ?? null);
}

function unknownNames(params: readonly Param[], given: ValueMap): readonly string[] {
  if (params.some(isKwargs)) return [];
  const known = new Set(params.filter(isNamed).map((param) => param.name));
  return Object.entries(given)
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => `${name}=${pyStr(value)}`);
}

/** A caller cannot claim to be the job that it is: names that begin with `__pub_` come from the agent only. */
function furtherNames(named: readonly NamedParam[], given: ValueMap): ValueMap {
  const known = new Set([KWARG_MARK, ...named.map((param) => param.name)]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !known.has(name) && !name.startsWith('__pub_')));
}

function fault(kind: ArgumentFault['kind'], sentence: string): Bound {
  return err({ kind, sentence });
}
