/** A reaction that nobody could be asked for is asked for again a while: a gateway that starts, or an acl-service, is back soon. */
import { ASKED_AGAIN_MS } from '@natrium/client';
import type { Refusal, RefusalCode, Result } from '@natrium/model';

export interface Patience {
  /** Milliseconds that only rise. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Then nothing is waited for any more. */
  readonly stopping: AbortSignal;
}

const PATIENCE_MS = 60_000;
const AGAIN_MS = 1000;
/** What is told before this was said of the only question that `MasterClient` has asked. */
const ASKED_ONCE_MS = ASKED_AGAIN_MS - 100;
const AWAY: ReadonlySet<RefusalCode> = new Set(['master_unreachable', 'acl_unavailable', 'store_unavailable']);

/**
 * Each try is a request of its own, and still nothing runs twice: there is another only when it is certain that nothing came of
 * the one before. What is told this soon was said of its only question: by the broker that nobody was there to hear it, or
 * by the gateway that did, which refuses so only what it has sent nowhere. After that the question may have been asked
 * twice, and what is said of one tells nothing of the other.
 */
export async function askedWhileAway<T>(
  ask: () => Promise<Result<T, Refusal>>,
  { now, pause, stopping }: Patience,
): Promise<Result<T, Refusal>> {
  const until = now() + PATIENCE_MS;
  for (;;) {
    const begun = now();
    const asked = await ask();
    const isAway = !asked.ok && AWAY.has(asked.error.code) && now() - begun < ASKED_ONCE_MS;
    if (!isAway || now() >= until || stopping.aborted) return asked;
    await pause(AGAIN_MS);
  }
}
