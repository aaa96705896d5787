/**
 * What a function throws when it cannot do what was asked. The loader turns each into the text that Salt's users know;
 * anything else that is thrown is a defect of the function and is reported as an exception.
 */

/** The caller asked for something that makes no sense: `ERROR executing 'x.y': …`. */
export class InvocationError extends Error {
  override readonly name = 'SaltInvocationError';
}

/** What was asked did not work out: `ERROR: …`. */
export class ExecutionError extends Error {
  override readonly name = 'CommandExecutionError';
}

/** Values of a kind that the operation does not have; its text is Python's. */
export class ValueTypeError extends Error {
  override readonly name = 'TypeError';
}
