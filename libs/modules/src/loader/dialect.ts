/**
 * How the failures of a library's functions read, and what its functions with `**kwargs` are told of their call.
 *
 * The texts are Salt's, for minions and for runners; a stack is never part of them.
 */
import type { Value, ValueMap } from '@natrium/model';
import type { ArgumentFault } from './bind-arguments.js';
import { ExecutionError, InvocationError } from './errors.js';
import type { Fault } from './reply.js';

export interface Thrown {
  readonly fault: Fault;
  readonly text: string;
}

export interface Dialect<C> {
  /** The program and target that examples begin with. */
  readonly program: string;
  wrongArguments(fun: string, fault: ArgumentFault, doc: string): string;
  thrown(fun: string, error: unknown): Thrown;
  furtherArguments(fun: string, sent: readonly Value[], context: C): ValueMap;
}

/** `Name: message` of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

export function minionThrown(fun: string, error: unknown): Thrown {
  if (error instanceof InvocationError) return { fault: 'failed', text: `ERROR executing '${fun}': ${error.message}` };
  if (error instanceof ExecutionError) return { fault: 'failed', text: `ERROR: ${error.message}` };
  return { fault: 'exception', text: `The minion function caused an exception: ${errorText(error)}` };
}

export function minionWrongArguments(fun: string, { kind, sentence }: ArgumentFault, doc: string): string {
  if (kind === 'keywords') return `ERROR executing '${fun}': ${sentence}`;
  return `Passed invalid arguments to ${fun}: ${sentence}\n\n${doc}`;
}
