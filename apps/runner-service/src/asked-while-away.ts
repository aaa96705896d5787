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
/** A failure that comes sooner is of the only question that `MasterClient` has asked so far. */
const ASKED_ONCE_MS = ASKED_AGAIN_MS - 100;
/** With these a gateway has sent it nowhere, however late it says so: of more than one question `MasterClient` tells that only when each was refused. */
const NOT_SENT: ReadonlySet<RefusalCode> = new Set(['acl_unavailable', 'store_unavailable']);

/**
 * Each try is a request of its own, and still nothing runs twice: there is a further try only when nothing can have come of the
 * one before. Either a gateway says so, or the broker does so soon: nobody was there to hear the one question. Later the client
 * may have asked a second time, and that nobody was there then says nothing of the first.
 */
export async function askedWhileAway<T>(
  ask: () => Promise<Result<T, Refusal>>,
  { now, pause, stopping }: Patience,
): Promise<Result<T, Refusal>> {
  const again = whileAway({ now, pause, stopping });
  for (;;) {
    const begun = now();
    const asked = await ask();
    if (asked.ok) return asked;
    const { code } = asked.error;
    if (code === 'master_unreachable') {
      if (now() - begun >= ASKED_ONCE_MS) return err(mayHaveRun(asked.error));
    } else if (!NOT_SENT.has(code)) return asked;
    if (!(await again())) return asked;
  }
}

/** Whoever reads the log and asks for it himself would have it run twice. */
function mayHaveRun({ code, sentence }: Refusal): Refusal {
  return refusal(code, `${sentence}: it may have been heard, and run`);
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
