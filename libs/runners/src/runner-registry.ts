/** The registry as the runner service has it, with Salt's texts for runners and for the wheel. */
import {
  type ArgumentFault,
  type BaseContext,
  type Dialect,
  declaringFor,
  errorText,
  ExecutionError,
  InvocationError,
  type Module,
  Registry,
  type Thrown,
} from '@natrium/modules';
import type { RunnerContext } from './runner-context.js';

export const runner = declaringFor<RunnerContext>();

export type RunnerModule = Module<RunnerContext>;

function dialect(program: string, what: 'runner' | 'wheel'): Dialect<BaseContext> {
  return {
    program,
    wrongArguments: (_, { sentence }: ArgumentFault, doc) =>
      `\nPassed invalid arguments: ${sentence}\n\nUsage:\n${doc}`,
    thrown: (fun, error) => thrown(what, fun, error),
    // A runner hears of its caller by its context, never by an argument that a caller could send.
    furtherArguments: () => ({}),
  };
}

export function runnerRegistry(modules: readonly RunnerModule[]): Registry<RunnerContext> {
  return new Registry(modules, dialect('natrium-run', 'runner'));
}

export function wheelRegistry<C extends BaseContext>(modules: readonly Module<C>[]): Registry<C> {
  return new Registry(modules, dialect('wheel', 'wheel'));
}

function thrown(what: string, fun: string, error: unknown): Thrown {
  const expected = error instanceof ExecutionError || error instanceof InvocationError;
  return {
    fault: expected ? 'failed' : 'exception',
    text: `Exception occurred in ${what} ${fun}: ${errorText(error)}`,
  };
}
