/**
 * A controller whose signal ends with any of others as well, for their reason. Whoever made it aborts it when its work is over, which
 * ends the listening to the others.
 *
 * `AbortSignal.any` holds its sources weakly: on Node 20 a timeout that nothing else holds is collected with the next garbage, and then
 * never comes.
 */
export function endedAlsoBy(...others: readonly (AbortSignal | undefined)[]): AbortController {
  const own = new AbortController();
  for (const other of others) {
    if (other?.aborted === true) own.abort(other.reason);
    other?.addEventListener('abort', () => own.abort(other.reason), { once: true, signal: own.signal });
  }
  return own;
}
