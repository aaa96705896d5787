/** What somebody hears whose login or token the store did not take, or did not tell of: at once, instead of waiting for an answer. */
import { isStoreFailure } from '@natrium/bus';
import { type Refusal, refusal } from '@natrium/model';
import type { Logger } from 'pino';

const WHY = 'the store takes no writes or does not answer; try again';

export const UNCOUNTED = refusal('store_unavailable', `the login could not be counted, so nobody was let in: ${WHY}`);
const UNSTORED = refusal('store_unavailable', `the token could not be written or looked up: ${WHY}`);

/** @param instead Of what was to come of it. */
export async function unlessUnstored<T>(
  doing: Promise<T>,
  instead: (why: Refusal) => T,
  log: Pick<Logger, 'error'>,
): Promise<T> {
  try {
    return await doing;
  } catch (cause) {
    if (!isStoreFailure(cause)) throw cause;
    log.error({ err: cause }, 'a token could not be written or looked up');
    return instead(UNSTORED);
  }
}
