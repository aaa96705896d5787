/** `webhook`: each return as a signed POST. Its id is `<jid>/<minion>`, so that who gets it twice can tell. */
import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from '@natrium/model';
import { PostRefused, postSigned, type Posted, type Webhook } from './post-signed.js';
import type { Returner } from './returner.js';

/** Waited between attempts; the return is in the job cache anyway, and others wait behind it. */
const WAITS_MS = [500, 2000, 8000];

/** @param webhook `url` is empty while none is configured. */
export function webhookReturner(webhook: Webhook, waits: readonly number[] = WAITS_MS): Returner {
  return {
    name: 'webhook',
    take: async (ret, { signal }) => {
      if (webhook.url === '') throw new Error('webhook_url is not set');
      await postAgain(webhook, { id: `${ret.jid}/${ret.id}`, body: writeJson({ ...ret }) }, waits, signal);
    },
  };
}

async function postAgain(
  webhook: Webhook,
  posted: Posted,
  waits: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const [wait, ...later] = waits;
  try {
    await postSigned(webhook, posted, signal);
  } catch (cause) {
    if (wait === undefined || cause instanceof PostRefused || signal.aborted) throw cause;
    await sleep(wait, undefined, { signal });
    await postAgain(webhook, posted, later, signal);
  }
}
