/** What somebody hears whose login or token the store did not take, or did not tell of: at once, instead of waiting for an answer. */
import { firstThenCounts, isStoreFailure } from '@natrium/bus';
import { type Refusal, refusal } from '@natrium/model';
import type { Logger } from 'pino';

const WHY = 'the store takes no writes or does not answer; try again';

export const UNCOUNTED = refusal('store_unavailable', `the login could not be counted, so nobody was let in: ${WHY}`);
const UNSTORED = refusal('store_unavailable', `the token could not be written or looked up: ${WHY}`);

/** Of a login or token, in words that stand in the log; a closed set. */
type What =
  | 'a token could not be written or looked up'
  | 'a login could not be counted, and was refused'
  | 'how a login ended could not be counted';

export type TellUnstored = (what: What, cause: unknown) => void;

/**
 * What a log says of them. In an outage every login and every token that is not known here may be one, from whoever asks: the first of each
 * kind is a warning, and the others are counted. Anything else than the store is a fault of the program, whose stack says where.
 */
export function tellingUnstored(log: Pick<Logger, 'error' | 'warn' | 'debug'>): TellUnstored {
  const isFirst = firstThenCounts((counts) => {
    log.warn({ counts }, 'more logins or tokens could not be counted or stored in the last minute');
  });
  return (what, cause) => {
    if (!isStoreFailure(cause)) log.error({ err: cause }, what);
    else if (isFirst(what)) log.warn({ why: cause.message }, what);
    else log.debug({ why: cause.message }, what);
  };
}

/** @param instead Of what was to come of it. */
export async function unlessUnstored<T>(
  doing: Promise<T>,
  instead: (why: Refusal) => T,
  tell: TellUnstored,
): Promise<T> {
  try {
    return await doing;
  } catch (cause) {
    if (!isStoreFailure(cause)) throw cause;
    tell('a token could not be written or looked up', cause);
    return instead(UNSTORED);
  }
}
