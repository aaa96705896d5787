/** Bytes or a value that the one encoding doesn't have; it names the rule, never the content. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
  readonly code = 'ERR_ENCODING';
}

export const MAX_DEPTH = 32;
export const TOO_DEEP = 'nested deeper than 32 levels';

export function tooMany(most: number): EncodingError {
  return new EncodingError(`more than ${String(most)} values`);
}
