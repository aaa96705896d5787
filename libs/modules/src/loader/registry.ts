/**
 * The functions of one process by name, and the one way to run them.
 *
 * The order: is it there → do the arguments fit → run → what came of it. Whatever a function does, the answer is an
 * `Outcome`; nothing is thrown at the agent. Who may run what was decided before, elsewhere.
 *
 * Used by the agent, `natrium-call --local` and the runner service; texts that differ between them are a `Dialect`.
 */
import { isMap, isTrue, type Value, type ValueMap } from '@natrium/model';
import { abortedText, raceAbort } from './abort.js';
import { type ArgumentFault, bindArguments } from './bind-arguments.js';
import type { FunctionSpec, Library, Module, Param, Returned } from './declaration.js';
import { type Dialect, errorText } from './dialect.js';
import type { ProcessPort } from '../process/run-process.js';
import { docText } from './function-text.js';
import { type Fault, type Outcome, Reply } from './reply.js';

/** What every call has: a way to end it, and where there is one, a list of the processes that it started. */
export interface BaseContext {
  readonly signal: AbortSignal;
  /** The same as `signal.aborted`, for contexts that make the signal only when it is read. */
  readonly isEnded?: boolean | undefined;
  readonly processes?: ProcessPort | undefined;
  /** Hears of what a function does until it has wholly ended, also where its call is ended before. */
  readonly began?: ((running: Promise<unknown>) => void) | undefined;
}

export class Registry<C extends BaseContext> implements Library {
  readonly #functions = new Map<string, FunctionSpec<C>>();

  /** @throws {RangeError} When two modules declare one function. */
  constructor(
    readonly modules: readonly Module<C>[],
    private readonly dialect: Dialect<C>,
  ) {
    for (const module of modules) {
      for (const [name, spec] of Object.entries(module.functions)) this.#add(`${module.name}.${name}`, spec);
    }
  }

  /** The same registry with further modules; one of the same name takes the place of the earlier one, whole. */
  with(modules: readonly Module<C>[]): Registry<C> {
    const replaced = new Set(modules.map((module) => module.name));
    return new Registry([...this.modules.filter((module) => !replaced.has(module.name)), ...modules], this.dialect);
  }

  list(): readonly string[] {
    return [...this.#functions.keys()].sort();
  }

  has(fun: string): boolean {
    return this.#functions.has(fun);
  }

  doc(fun: string): string | undefined {
    const spec = this.#functions.get(fun);
    return spec === undefined ? undefined : docText(fun, spec, this.dialect.program);
  }

  params(fun: string): readonly Param[] | undefined {
    return this.#functions.get(fun)?.params;
  }

  isOwn(fun: string): boolean {
    return this.modules.some(({ name, isOwn }) => isOwn === true && fun.startsWith(`${name}.`));
  }

  /** What each function publishes, where it publishes anything. */
  grants(): Readonly<Record<string, readonly Value[]>> {
    const declared = [...this.#functions].flatMap(([fun, { grants }]) =>
      grants === undefined ? [] : ([[fun, grants]] as const),
    );
    return Object.fromEntries(declared);
  }

  /** Runs one function; `sent` is its positional arguments and, last, the map of named ones with `__kwarg__`. */
  async execute(fun: string, sent: readonly Value[], context: C): Promise<Outcome> {
    const spec = this.#functions.get(fun);
    if (spec === undefined) return failure('unavailable', `'${fun}' is not available.`);
    const bound = bindArguments(fun, spec.params, sent, this.dialect.furtherArguments(fun, sent, context));
    if (!bound.ok) return this.#wrongArguments(fun, bound.error);
    return this.#run(fun, spec, bound.value, context);
  }

  async #run(fun: string, spec: FunctionSpec<C>, bound: ValueMap, context: C): Promise<Outcome> {
    if (isAborted(context)) return failure('aborted', abortedText(fun, context.signal));
    try {
      const returned = spec.run(bound, context, this);
      if (!(returned instanceof Promise)) return toOutcome(returned);
      context.began?.(returned);
      return toOutcome(await raceAbort(returned, context.signal));
    } catch (error) {
      if (isAborted(context)) return failure('aborted', abortedText(fun, context.signal));
      const { fault, text } = this.dialect.thrown(fun, error);
      const bare = fault === 'failed' && error instanceof Error ? error.message : errorText(error);
      return { ...failure(fault, text), problem: { sentence: bare } };
    }
  }

  #wrongArguments(fun: string, found: ArgumentFault): Outcome {
    const doc = this.doc(fun) ?? '';
    // Salt tells the usage to who sent too many or too few, not to who misnamed one.
    const usage = found.kind === 'keywords' ? {} : { usage: doc };
    return {
      ...failure('arguments', this.dialect.wrongArguments(fun, found, doc)),
      problem: { sentence: found.sentence, ...usage },
    };
  }

  #add(fun: string, spec: FunctionSpec<C>): void {
    if (this.#functions.has(fun)) throw new RangeError(`two modules declare ${fun}`);
    this.#functions.set(fun, spec);
  }
}

function isAborted(context: BaseContext): boolean {
  return context.isEnded ?? context.signal.aborted;
}

function toOutcome(returned: Returned): Outcome {
  if (!(returned instanceof Reply)) return plainOutcome(returned);
  const { ret, options } = returned;
  const { notes = [], retcode = saysFailure(ret) ? 1 : 0, ...rest } = options;
  return { ret, retcode, success: retcode === 0, notes, ...rest };
}

function plainOutcome(ret: Value): Outcome {
  const success = !saysFailure(ret);
  return { ret, retcode: success ? 0 : 1, success, notes: [] };
}

/** A map that says `result: False` or `success: False` failed, as in Salt. */
function saysFailure(ret: Value): boolean {
  return isMap(ret) && [ret['result'], ret['success']].some((word) => word !== undefined && !isTrue(word));
}

function failure(fault: Fault, ret: Value): Outcome {
  return { ret, retcode: 1, success: false, notes: [], out: 'nested', fault };
}
