/**
 * The steps of a request, for an operator who wants to see them: a port, so that whoever runs without traces loads nothing.
 *
 * What a step may say of itself is a closed list, so that no argument, result, target or secret can get into it. What was
 * said before in a process is never asked: nothing can be decided by it.
 *
 * Spec: spec/envelope.md#trace; docs/operations.md#traces.
 */
import type { TraceContext } from '@natrium/envelope';

/** All that a step can say of itself. */
export interface StepFacts {
  readonly jid?: string;
  /** Names of functions; one that is not written like a name is left out. */
  readonly funs?: readonly string[];
  /** The code of a refusal or of a failure, never its sentence. */
  readonly refusal?: string;
  /** How many minions are meant. */
  readonly minions?: number;
}

/** A message as the broker sees it too, and its place in the protocol. */
export interface ToldMessage {
  readonly kind: string;
  readonly subject: string;
  readonly messageId: Uint8Array;
}

/** A message that left and whose step goes on until it is ended. */
export interface Sending {
  /** Goes with it, inside of its seal. */
  readonly trace: TraceContext;
  end(failure?: string): void;
}

/** A step that lives longer than one call. */
export interface OpenStep {
  /** What is done in `work`, and what comes of it, belongs to this step. */
  within<T>(work: () => T): T;
  note(facts: StepFacts): void;
  end(failure?: string): void;
}

export type StepName = 'publish' | 'runner' | 'decide' | 'store job' | 'verify' | 'run' | 'store return' | 'http';

export interface Tracing {
  /** A message leaves. undefined: it belongs to no trace. */
  send(message: ToldMessage): Sending | undefined;
  /** What is done with a message that came; `work` may give a promise, and the step ends with it. */
  receive<T>(message: ToldMessage, trace: TraceContext | undefined, work: () => T): T;
  /** A part of what is under way; without a trace there is only the work. */
  step<T>(name: StepName, facts: StepFacts, work: () => T): T;
  /** The same, and it begins a trace where there is none. */
  begin(name: StepName, facts: StepFacts): OpenStep;
  /** Adds to the step that is under way. */
  note(facts: StepFacts): void;
  /** What `work` sets off belongs to no trace: timers and lines that many share. */
  apart<T>(work: () => T): T;
  /** Whether the traces of messages are read at all. */
  readonly isOn: boolean;
}

const NO_STEP: OpenStep = { within: (work) => work(), note: () => undefined, end: () => undefined };

/** No traces: nothing is told, and nothing goes with a message. */
export const NO_TRACING: Tracing = {
  isOn: false,
  send: () => undefined,
  receive: (_message, _trace, work) => work(),
  step: (_name, _facts, work) => work(),
  begin: () => NO_STEP,
  note: () => undefined,
  apart: (work) => work(),
};
