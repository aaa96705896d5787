/**
 * What a function throws when it cannot do what was asked. The first two become the texts that Salt's users know; all else, the third too,
 * is reported as an exception.
 */

/** The caller asked for something that makes no sense: `ERROR executing 'x.y': …`. */
export class InvocationError extends Error {
  override readonly name = 'SaltInvocationError';
}

/** What was asked did not work out: `ERROR: …`. */
export class ExecutionError extends Error {
  override readonly name = 'CommandExecutionError';
}

/** Values of a kind that the operation does not have: an exception in Salt as well, under Python's name. */
export class ValueTypeError extends Error {
  override readonly name = 'TypeError';
}
