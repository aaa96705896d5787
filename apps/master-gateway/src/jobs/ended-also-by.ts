/**
 * A controller whose signal ends with another one as well.
 *
 * `AbortSignal.any` holds its sources weakly: on Node 20 a timeout that nothing else holds is collected with the next garbage, and then
 * never comes.
 */
export function endedAlsoBy(signal: AbortSignal): AbortController {
  const own = new AbortController();
  if (signal.aborted) own.abort();
  signal.addEventListener('abort', () => own.abort(), { once: true, signal: own.signal });
  return own;
}
