/** Asks for a reaction again for a while where no gateway or acl-service could be asked, or no claim be written: what starts anew is back soon. */
import { ASKED_AGAIN_MS } from '@natrium/client';
import { err, type Refusal, refusal, type RefusalCode, type Result } from '@natrium/model';

export interface Patience {
  /** Milliseconds that only rise. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Once it is aborted nothing is waited for any more. */
  readonly stopping: AbortSignal;
}

const PATIENCE_MS = 60_000;
const AGAIN_MS = 1000;
/** An answer that comes sooner is about the only question that `MasterClient` has asked so far. */
const ASKED_ONCE_MS = ASKED_AGAIN_MS - 100;
const AWAY: ReadonlySet<RefusalCode> = new Set(['master_unreachable', 'acl_unavailable', 'store_unavailable']);

/**
 * Each try is a request of its own, and still nothing runs twice: there is a further try only when nothing can have come of the
 * one before. An answer that comes so soon is about the one question that was asked: the broker says that nobody was there to hear
 * it, or a gateway refuses what it has sent nowhere. Later the client may have asked the same question a second time, and a
 * refusal of one of the two says nothing of the other.
 */
export async function askedWhileAway<T>(
  ask: () => Promise<Result<T, Refusal>>,
  { now, pause, stopping }: Patience,
): Promise<Result<T, Refusal>> {
  const again = whileAway({ now, pause, stopping });
  for (;;) {
    const begun = now();
    const asked = await ask();
    if (asked.ok || !AWAY.has(asked.error.code)) return asked;
    if (now() - begun >= ASKED_ONCE_MS) return err(mayHaveRun(asked.error));
    if (!(await again())) return asked;
  }
}

/** Whoever reads the log and asks for it himself would have it run twice. Any other refusal says itself what was sent. */
function mayHaveRun({ code, sentence }: Refusal): Refusal {
  return refusal(code, code === 'master_unreachable' ? `${sentence}: it may have been heard, and run` : sentence);
}

/** @returns Waits a second and says that there is a further try, for a minute from now on. */
export function whileAway({ now, pause, stopping }: Patience): () => Promise<boolean> {
  const until = now() + PATIENCE_MS;
  return async () => {
    if (now() >= until || stopping.aborted) return false;
    await pause(AGAIN_MS);
    return true;
  };
}
