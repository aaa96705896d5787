/**
 * Tells a store that did not do what it was asked, whatever of it was done, from a fault of the program: by the names that
 * JetStream's and the connection's errors have.
 */
const FAILURES: ReadonlySet<string> = new Set([
  'StreamRefused',
  'JetStreamApiError',
  'JetStreamError',
  'JetStreamStatusError',
  'JetStreamNotEnabled',
  'StreamNotFoundError',
  'TimeoutError',
  'NoResponders',
  'RequestError',
  'ConnectionError',
  'ClosedConnectionError',
  'DrainingConnectionError',
]);

export function isStoreFailure(cause: unknown): cause is Error {
  return cause instanceof Error && FAILURES.has(cause.name);
}
