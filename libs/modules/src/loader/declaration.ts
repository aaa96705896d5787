/**
 * How a function is declared: its documentation and parameters once, as data, beside the code.
 *
 * Argument checking, `sys.doc`, `sys.argspec` and the texts of `--help` all come from this one declaration. Nothing here
 * knows where the code runs: a file of this project, a user's file or an executable that describes itself are the same.
 *
 * How to write a module: docs/modules.md.
 */
import type { Value, ValueMap } from '@natrium/model';
import type { Reply } from './reply.js';

export const PARAM_TYPES = ['str', 'int', 'number', 'bool', 'list', 'map', 'any'] as const;
export type ParamType = (typeof PARAM_TYPES)[number];

/** A parameter without a default must be given. `keyword` ones are given by name only. */
export interface NamedParam {
  readonly name: string;
  readonly type: ParamType;
  readonly default?: Value;
  readonly keyword?: true;
  readonly doc?: string;
}

/** Takes all further positional arguments, as Python's `*args`. */
export interface RestParam {
  readonly rest: string;
  readonly doc?: string;
}

/** Takes all further named arguments, as Python's `**kwargs`; a minion's function then hears of its job (`__pub_…`) too. */
export interface KwargsParam {
  readonly kwargs: string;
  readonly doc?: string;
}

export type Param = NamedParam | RestParam | KwargsParam;

/** The parameters of a function that takes whatever it is sent. */
export const ANYTHING = [{ rest: 'args' }, { kwargs: 'kwargs' }] as const;

interface TypeOf {
  readonly str: string;
  readonly int: number;
  readonly number: number;
  readonly bool: boolean;
  readonly list: readonly Value[];
  readonly map: ValueMap;
  readonly any: Value;
}

type NameOf<P> = P extends { rest: infer N extends string }
  ? N
  : P extends { kwargs: infer N extends string }
    ? N
    : P extends { name: infer N extends string }
      ? N
      : never;
type ArgumentOf<P> = P extends RestParam
  ? readonly Value[]
  : P extends KwargsParam
    ? ValueMap
    : P extends NamedParam
      ? TypeOf[P['type']] | (P extends { default: null } ? null : never)
      : never;

/** The arguments that a function with parameters `P` is called with, by name. */
export type ArgumentsOf<P extends readonly Param[]> = { readonly [X in P[number] as NameOf<X>]: ArgumentOf<X> };

/** What a function's documentation holds besides its parameters. */
export interface FunctionText {
  /** What it does, in the first sentence; plain text. */
  readonly doc: string;
  /** What comes back, for the reader. */
  readonly returns?: string;
  /** Command lines without the program's name: `test.echo 'foo bar'`. */
  readonly examples?: readonly string[];
  /** What a runner publishes, in the syntax of a `peer` list: the default of `runner_grants`. */
  readonly grants?: readonly Value[];
}

export type Returned = Value | Reply;

/** What a function may ask of the library that it lives in. */
export interface Library {
  /** Names of all functions, sorted. */
  list(): readonly string[];
  /** Documentation of one function as people read it. */
  doc(fun: string): string | undefined;
  params(fun: string): readonly Param[] | undefined;
  /** Whether it is of a module of the user's own, which may do anything under any name. */
  isOwn(fun: string): boolean;
}

export interface FunctionSpec<C> extends FunctionText {
  readonly params: readonly Param[];
  /** @param bound One value for each parameter, checked against its declaration. */
  run(bound: ValueMap, context: C, library: Library): Returned | Promise<Returned>;
}

export interface Module<C> {
  readonly name: string;
  /** It is a file of the user's, not of this project. */
  readonly isOwn?: true;
  readonly functions: Readonly<Record<string, FunctionSpec<C>>>;
}

type Body<P extends readonly Param[], C> = (
  args: ArgumentsOf<P>,
  context: C,
  library: Library,
) => Returned | Promise<Returned>;

/** Makes the declaring function of a library whose functions are called with a context `C`. */
export function declaringFor<C>() {
  return function fn<const P extends readonly Param[] = readonly []>(
    text: FunctionText & { readonly params?: P },
    body: Body<P, C>,
  ): FunctionSpec<C> {
    const params: readonly Param[] = text.params ?? [];
    return { ...text, params, run: (bound, context, library) => body(typed<P>(bound), context, library) };
  };
}

export function defineModule<C>(name: string, functions: Readonly<Record<string, FunctionSpec<C>>>): Module<C> {
  return { name, functions };
}

/** The binder has checked every value against the declaration from which this type is made. */
function typed<P extends readonly Param[]>(bound: ValueMap): ArgumentsOf<P> {
  return bound as unknown as ArgumentsOf<P>;
}
